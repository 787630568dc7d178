"""Reading a response's body: decoded bytes are counted while they are made, and no more are made.

Only gzip and deflate are offered, decoded here piece by piece, so that a small body that unpacks
to gigabytes ends as soon as the limit is passed.
"""

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from config.base.outbound.errors import ResponseInvalid

OFFERED = "gzip, deflate"
GZIP_MAGIC = b"\x1f\x8b"
GZIP_BITS = 31
RAW_BITS = -15
MAX_ENCODED_OVERHEAD = 65_536  # bytes on the wire that decode to nothing

type IsEnough = Callable[[bytes], bool]  # given each decoded piece: whether to stop reading


@dataclass(frozen=True, slots=True)
class Body:
    content: bytes
    truncated: bool = False  # by our limit
    incomplete: bool = False  # the encoded data ended early


class Identity:
    complete = True

    def feed(self, data: bytes, limit: int) -> bytes:
        return data[:limit]


class Inflater:
    """gzip with several members, zlib, and the raw deflate that some servers call deflate."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream = zlib.decompressobj(GZIP_BITS if gzip else zlib.MAX_WBITS)
        self._started = False
        self.complete = False

    def feed(self, data: bytes, limit: int) -> bytes:
        """At most `limit` decoded bytes; what does not fit is lost. Raises `ResponseInvalid`."""
        pieces: list[bytes] = []
        while data and limit > 0 and not self.complete:
            piece = self._decompress(data, limit)
            pieces.append(piece)
            limit -= len(piece)
            data = self._rest()
        return b"".join(pieces)

    def _decompress(self, data: bytes, limit: int) -> bytes:
        try:
            piece = self._stream.decompress(data, limit)
        except zlib.error:
            if self._gzip or self._started:
                raise ResponseInvalid(_("The compressed answer can't be decoded.")) from None
            self._started = True
            self._stream = zlib.decompressobj(RAW_BITS)
            return self._decompress(data, limit)
        self._started = True
        return piece

    def _rest(self) -> bytes:
        if not self._stream.eof:
            return self._stream.unconsumed_tail
        rest = self._stream.unused_data
        if self._gzip and rest.startswith(GZIP_MAGIC):
            self._stream = zlib.decompressobj(GZIP_BITS)
            return rest
        self.complete = True  # what follows is padding
        return b""


def read_body(
    chunks: Iterable[bytes], content_encoding: str, limit: int, is_enough: IsEnough | None = None
) -> Body:
    """Reads until the body ends, holds `limit` bytes, or is enough. Raises `ResponseInvalid`."""
    decoder = _decoder(content_encoding)
    content = bytearray()
    encoded_size = 0
    for chunk in chunks:
        encoded_size += len(chunk)
        piece = decoder.feed(chunk, limit + 1 - len(content))
        content += piece
        if len(content) > limit or encoded_size > limit + MAX_ENCODED_OVERHEAD:
            return Body(bytes(content[:limit]), truncated=True)
        if is_enough is not None and piece and is_enough(piece):
            return Body(bytes(content))
    return Body(bytes(content), incomplete=bool(encoded_size) and not decoder.complete)


def _decoder(content_encoding: str) -> Identity | Inflater:
    encoding = content_encoding.strip().lower()
    if encoding in ("", "identity"):
        return Identity()
    if encoding in ("gzip", "x-gzip", "deflate"):
        return Inflater(gzip=encoding != "deflate")
    raise ResponseInvalid(
        _("The answer is encoded in a way that was not offered: %(encoding)s.")
        % {"encoding": encoding[:80]}
    )
