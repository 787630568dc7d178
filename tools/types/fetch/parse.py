"""A response's bytes to what the model reads. Whatever the bytes are, this gives an answer."""

import json
import math
import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from django.utils.translation import gettext as _

from config.base.outbound.client import OutboundResponse
from tools.types.fetch.charset import BOMS, decode_text
from tools.types.fetch.config import ParseMode
from tools.types.fetch.markdown import page_to_markdown

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
TEXT_TYPES = frozenset(
    {
        "application/ecmascript",
        "application/graphql",
        "application/javascript",
        "application/json",
        "application/json5",
        "application/jsonl",
        "application/ld+json",
        "application/ndjson",
        "application/rtf",
        "application/sql",
        "application/toml",
        "application/x-javascript",
        "application/x-ndjson",
        "application/x-sh",
        "application/x-www-form-urlencoded",
        "application/x-yaml",
        "application/xml",
        "application/yaml",
    }
)
UNTOLD_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream"})
LOOKS_LIKE_HTML = re.compile(r"\s{0,99}(<!doctype html|<html|<head|<body)", re.IGNORECASE)
SNIFFED_BYTES = 1024
MAX_HTML_LENGTH = 1024 * 1024
MAX_JSON_DEPTH = 64  # deeper values break those who write them out again


@dataclass(frozen=True, slots=True)
class Parsed:
    """`content` is text, or with `json` any JSON value."""

    content: Any
    warnings: tuple[str, ...] = ()


class Kind(Enum):
    HTML = auto()
    TEXT = auto()
    BINARY = auto()


def parse_response(response: OutboundResponse, mode: ParseMode, limit: int) -> Parsed:
    """`limit` bounds the text, as it bounded the bytes."""
    content_type = response.header("content-type")
    media_type = media_type_of(content_type)
    kind = classify(response.content, content_type)
    if kind is Kind.BINARY:
        return Parsed(_describe(media_type, len(response.content), response.truncated))
    text, warnings = decode_text(
        response.content,
        content_type,
        is_markup=kind is Kind.HTML or media_type.endswith("xml"),
        is_cut=response.truncated,
    )
    if mode == "json":
        return _parse_json(text, warnings, is_whole=not response.truncated)
    if mode == "markdown" and (kind is Kind.HTML or (not media_type and _is_html(text))):
        return _parse_html(text, warnings, str(response.url), limit)
    return Parsed(text, tuple(warnings))


def classify(content: bytes, content_type: str) -> Kind:
    """By the declared type where it says enough, else by whether the bytes read as text."""
    media_type = media_type_of(content_type)
    start = content[:SNIFFED_BYTES]
    if media_type in HTML_TYPES:
        return Kind.HTML
    if _is_text_type(media_type):
        # Only UTF-16 has NULs, and says so by its mark or its charset.
        is_text = 0 not in start or _has_mark(start) or "utf-16" in content_type.lower()
    else:
        is_text = media_type in UNTOLD_TYPES and (_has_mark(start) or _reads_as_text(start))
    return Kind.TEXT if is_text else Kind.BINARY


def media_type_of(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _is_text_type(media_type: str) -> bool:
    return (
        media_type.startswith("text/")
        or media_type in TEXT_TYPES
        or media_type.endswith(("+json", "+xml"))
    )


def _has_mark(start: bytes) -> bool:
    return start.startswith(tuple(mark for mark, _codec in BOMS))


def _reads_as_text(start: bytes) -> bool:
    if 0 in start:
        return False
    try:
        start[: SNIFFED_BYTES - 4].decode()
    except UnicodeDecodeError as error:
        return error.start > len(start) - 8
    return True


def _describe(media_type: str, size_bytes: int, is_cut: bool) -> str:
    kind = media_type[:100] or _("unknown type")
    if is_cut:
        return _("[binary body, %(kind)s, more than %(size)d bytes]") % {
            "kind": kind,
            "size": size_bytes,
        }
    return _("[binary body, %(kind)s, %(size)d bytes]") % {"kind": kind, "size": size_bytes}


def _is_html(text: str) -> bool:
    return LOOKS_LIKE_HTML.match(text) is not None


def _parse_html(text: str, warnings: list[str], base_url: str, limit: int) -> Parsed:
    if len(text) > MAX_HTML_LENGTH:
        warnings = [*warnings, _("Only the beginning of the page was read.")]
    page = page_to_markdown(text[:MAX_HTML_LENGTH], base_url, limit)
    if page.is_cut:
        warnings = [*warnings, _("The page's text was cut (max_response_bytes).")]
    if not page.markdown and text.strip():
        warnings = [*warnings, _("The page has no text; it may need a browser to show any.")]
    return Parsed(page.markdown, tuple(warnings))


def _parse_json(text: str, warnings: list[str], *, is_whole: bool) -> Parsed:
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
        return Parsed(_storable(value), tuple(warnings))
    except (ValueError, RecursionError):
        told = _("The body is not valid JSON; it is given as text.")
        if not is_whole:
            told = _("The body was cut and can't be read as JSON; it is given as text.")
        return Parsed(text, (*warnings, told))


def _refuse_constant(name: str) -> float:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _storable(value: Any, depth: int = 0) -> Any:
    """Strings without NUL and lone surrogates, which neither the database nor UTF-8 takes."""
    if depth > MAX_JSON_DEPTH:
        raise RecursionError
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_storable(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item, depth + 1) for key, item in value.items()}
    return value
