"""Server-sent events, piece by piece (HTML standard, 9.2.6). Pure.

How much is kept is bounded by who feeds it: `max_response_bytes` counts every byte of a stream.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"
_MAX_ID = 1024
MAX_RETRY_MS = 2000


@dataclass(slots=True)
class EventStream:
    """`last_id` and `retry_ms` are what a client that comes back needs."""

    last_id: str = ""
    retry_ms: int = 0
    _line: bytearray = field(default_factory=bytearray)
    _data: list[bytes] = field(default_factory=list)
    _after_cr: bool = False
    _begun: bool = False

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The data of each event that ends in this piece."""
        if self._after_cr and piece.startswith(b"\n"):
            piece = piece[1:]
        self._after_cr = piece.endswith(b"\r")
        first, *others = _LINE_END.split(piece)
        self._line += first
        for following in others:
            yield from self._end_line()
            self._line += following

    def _end_line(self) -> Iterator[bytes]:
        line, self._line = bytes(self._line), bytearray()
        if not self._begun:
            self._begun, line = True, line.removeprefix(_BOM)
        if line:
            self._take(*line.partition(b":"))
        elif self._data:
            data, self._data = b"\n".join(self._data), []
            yield data

    def _take(self, name: bytes, _colon: bytes, value: bytes) -> None:
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
        elif name == b"id" and len(value) <= _MAX_ID and b"\0" not in value:
            self.last_id = value.decode("latin-1")
        elif name == b"retry" and value.isdigit():
            self.retry_ms = min(int(value[:9]), MAX_RETRY_MS)
