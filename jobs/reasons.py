"""What errors that were written down say to whoever reads them now."""

from collections.abc import Iterator
from functools import cache

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise

from config.base.errors import GatehouseError, default_message_of
from jobs.enums import CancelReason


def explain(code: str, text: str) -> str:
    """In the reader's language where it is a sentence of ours; the worker wrote it in its own.

    A cancelled job has a code only. What a handler said in words of its own stays as it is.
    """
    if not text and code in CancelReason:
        return str(CancelReason(code).label)
    return str(_sentences().get(text, text))


@cache
def _sentences() -> dict[str, Promise]:
    """By how they read in any of the languages."""
    found: dict[str, Promise] = {}
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            for error in _descendants(GatehouseError):
                message = default_message_of(error)
                if isinstance(message, Promise):
                    found[str(message)] = message
    return found


def _descendants(error: type[GatehouseError]) -> Iterator[type[GatehouseError]]:
    for child in error.__subclasses__():
        yield child
        yield from _descendants(child)
