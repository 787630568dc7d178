"""A body with a file in it: weighed before it is read, and as it comes."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from rest_framework.parsers import MultiPartParser

from documents.knowledge.errors import FileTooLarge

CHUNK_BYTES = 1 << 16


class UploadParser(MultiPartParser):
    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        """Raises `FileTooLarge` for a length that it says."""
        check_announced(parser_context["request"])
        return super().parse(stream, media_type, parser_context)


def check_announced(request: HttpRequest) -> None:
    """By its own word; what says nothing, or lies, is counted on the way (`config.asgi`)."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > settings.MAX_BODY_BYTES:
        raise FileTooLarge


def chunks_of(file: "UploadedFile[bytes]") -> Iterator[bytes]:
    yield from file.chunks(CHUNK_BYTES)
