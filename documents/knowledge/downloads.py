"""A file on its way to a person: authorised at this moment, on record, never shown in the page."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _

from config.base.actor import Actor
from config.base.errors import Gone
from documents.knowledge.files import store
from documents.knowledge.services import record_download
from documents.models import Resource

CHUNK_BYTES = 1 << 16


def download_response(
    request: HttpRequest, actor: Actor, resource: Resource
) -> StreamingHttpResponse:
    """`resource` was just read by what its reader may see. Raises `Gone`.

    As bytes without a type: no browser opens it under our origin.
    """
    path = store.path_of(resource.stored_name)
    if not path.is_file():
        raise Gone(_("The stored file is gone. Upload it again."))
    record_download(actor, resource)
    # Django would read all of a plain iterator into memory to send it asynchronously.
    content = _read_aside(path) if isinstance(request, ASGIRequest) else _read(path)
    response = StreamingHttpResponse(content, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, resource.file_name) or ""
    response["Content-Length"] = str(resource.size_bytes)
    response["Cache-Control"] = "private, no-store"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


async def _read_aside(path: Path) -> AsyncIterator[bytes]:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while chunk := await asyncio.to_thread(file.read, CHUNK_BYTES):
            yield chunk
    finally:
        file.close()
