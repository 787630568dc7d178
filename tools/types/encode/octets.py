"""Texts that stand for bytes, both ways. What decodes to no text says so."""

import base64
import binascii
import re
import unicodedata
from urllib.parse import unquote_to_bytes

from django.utils.translation import gettext as _

from tools.errors import fail

_HEX_FILLING = re.compile(r"(?<![0-9A-Fa-f])0[xX]|[\s:,]")
_SPACE = re.compile(r"\s")
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")
_BASE64_URL = re.compile(r"[A-Za-z0-9_-]*={0,2}")
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_TEXT_CONTROLS = "\t\n\r"


def to_bytes(text: str, form: str | None) -> bytes:
    """Raises `ToolFailure` (encoding) when the text is not of that form."""
    if form == "hex":
        return from_hex(text)
    return from_base64(text) if form == "base64" else text.encode()


def from_bytes(data: bytes, form: str) -> str:
    if form == "hex":
        return data.hex()
    if form == "base64url":
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    return base64.b64encode(data).decode()


def text_or_none(data: bytes) -> str | None:
    """The text that the bytes are in UTF-8; control characters are a sign that they are none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    controls = (char for char in text if unicodedata.category(char) == "Cc")
    return text if all(char in _TEXT_CONTROLS for char in controls) else None


def from_hex(text: str) -> bytes:
    digits = _HEX_FILLING.sub("", text)
    try:
        return binascii.unhexlify(digits)
    except ValueError:
        fail("encoding", _("That is not hex: pairs of the digits 0-9 and a-f."))


def from_base64(text: str) -> bytes:
    letters = _SPACE.sub("", text)
    if not _BASE64.fullmatch(letters) or len(letters) % 4:
        fail(
            "encoding",
            _("That is not base64: letters, digits, + and /, padded with = to fours."),
        )
    return base64.b64decode(letters)


def from_base64url(text: str) -> bytes:
    letters = _SPACE.sub("", text)
    if not _BASE64_URL.fullmatch(letters) or len(letters.rstrip("=")) % 4 == 1:
        fail("encoding", _("That is not base64url: letters, digits, - and _."))
    plain = letters.rstrip("=")
    return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))


def from_percent(text: str) -> bytes:
    if _BROKEN_PERCENT.search(text):
        # No words are filled in; xgettext: no-python-format
        fail("encoding", _("A % is not followed by two hex digits."))
    return unquote_to_bytes(text)
