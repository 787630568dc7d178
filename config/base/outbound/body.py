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
HEADER_BYTES = 2  # tell what begins
GZIP_BITS = 31
RAW_BITS = -15
MAX_ENCODED_OVERHEAD = 65_536  # bytes on the wire that decode to nothing

type Stream = zlib._Decompress
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
    """gzip with several members, zlib, and the raw deflate that some servers call deflate.

    Pieces end anywhere: what may begin a stream is kept until there is enough of it to tell.
    """

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._kept = b""
        self._stream: Stream | None = None
        self._is_padding = False  # what follows the last stream
        self.complete = False

    def feed(self, data: bytes, limit: int) -> bytes:
        """At most `limit` decoded bytes; what does not fit is lost. Raises `ResponseInvalid`."""
        pieces: list[bytes] = []
        data, self._kept = self._kept + data, b""
        while data and limit > 0 and not self._is_padding:
            stream = self._stream or self._begin(data)
            if stream is None:
                break
            piece = _decompressed(stream, data, limit)
            pieces.append(piece)
            limit -= len(piece)
            data = self._rest(stream)
        return b"".join(pieces)

    def _begin(self, data: bytes) -> Stream | None:
        if len(data) < HEADER_BYTES:
            self._kept = data
        elif self.complete and not (self._gzip and data.startswith(GZIP_MAGIC)):
            self._is_padding = True
        else:
            self._stream = zlib.decompressobj(GZIP_BITS if self._gzip else _deflate_bits(data))
            self.complete = False
        return self._stream

    def _rest(self, stream: Stream) -> bytes:
        if not stream.eof:
            return stream.unconsumed_tail
        self._stream, self.complete = None, True
        return stream.unused_data


def _deflate_bits(data: bytes) -> int:
    """By the check in the header of zlib (RFC 1950, 2.2)."""
    is_zlib = data[0] & 0x0F == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0
    return zlib.MAX_WBITS if is_zlib else RAW_BITS


def _decompressed(stream: Stream, data: bytes, limit: int) -> bytes:
    try:
        return stream.decompress(data, limit)
    except zlib.error:
        raise ResponseInvalid(_("The compressed answer can't be decoded.")) from None


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
