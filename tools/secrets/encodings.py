"""The spellings in which somebody may echo a secret. Pure."""

import base64
import html
import json
from binascii import Error as Base64Error
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

MIN_LENGTH = 8  # shorter ones would be found in any text


def spellings(value: str) -> tuple[str, ...]:
    """The longest first, so that none is hidden by halves."""
    found = {text for part in _parts(value) for text in _spelt(part)}
    return tuple(sorted((text for text in found if len(text) >= MIN_LENGTH), key=len, reverse=True))


def _parts(value: str) -> Iterator[str]:
    """`Bearer abc` is also echoed as `abc`, `Basic …` as what it encodes."""
    yield value
    words = [word for word in value.split() if len(word) >= MIN_LENGTH]
    yield from words
    if value[:6].lower() == "basic " and words:
        try:
            pair = base64.b64decode(words[-1], validate=True).decode()
        except (Base64Error, UnicodeDecodeError):
            return
        yield pair
        yield pair.partition(":")[2]


def _spelt(text: str) -> Iterator[str]:
    if len(text) < MIN_LENGTH:
        return
    yield text
    yield html.escape(text)
    for escaped in (json.dumps(text), json.dumps(text, ensure_ascii=False)):
        yield escaped[1:-1]
        yield escaped[1:-1].replace("/", "\\/")
    yield from _url_encoded(text)
    data = text.encode()
    yield data.hex()
    yield data.hex().upper()
    yield from _base64(data)


def _url_encoded(text: str) -> Iterator[str]:
    for encoded in (quote(text, safe=""), quote_plus(text), quote(text), quote(text, safe="/:=+")):
        yield encoded
        yield _lower_escapes(encoded)


def _lower_escapes(encoded: str) -> str:
    head, *rest = encoded.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in rest)])


def _base64(data: bytes) -> Iterator[str]:
    """Whole, and as it stands within the encoding of something longer, at each of three places."""
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        whole = encode(data).decode()
        within = [_core(encode(b"\0" * before + data).decode(), before) for before in range(3)]
        for text in (whole, whole.rstrip("="), *within):
            yield text
            yield quote(text, safe="")


def _core(encoded: str, before: int) -> str:
    """Without the letters that also depend on what stands before and after."""
    bare = encoded.rstrip("=")
    end = len(bare) if bare == encoded else len(bare) - 1
    return bare[(before * 8 + 5) // 6 : end]
