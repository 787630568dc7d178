"""How a child asks its supervisor for a restart: a datagram, which comes whole or not at all.

So a child that is killed while it asks does no harm.
"""

import contextlib
import socket
from collections.abc import Iterator

REQUEST_BYTES = 2048
MOST_AT_ONCE = 100  # a child that asks without end must not keep the supervisor from its other work

_asking: socket.socket | None = None


class NotSupervised(RuntimeError):
    """Nobody supervises this process."""


def is_supervised() -> bool:
    return _asking is not None


def request_restart(name: str, reason: str) -> None:
    """Have the supervisor kill this child, with all that it started, and start it anew.

    Raises `NotSupervised`, and `OSError` if the supervisor can't be reached.
    """
    if _asking is None:
        raise NotSupervised(NotSupervised.__doc__)
    _asking.send(f"{name}\n{reason}".encode()[:REQUEST_BYTES])


class Requests:
    """The supervisor's end; the other one is inherited by whatever is forked afterwards."""

    def __init__(self) -> None:
        global _asking
        self._hearing, _asking = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._hearing.setblocking(False)
        _asking.setblocking(False)

    def fileno(self) -> int:
        return self._hearing.fileno()

    def read(self) -> Iterator[tuple[str, str]]:
        """Name and reason of each."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(MOST_AT_ONCE):
                text = self._hearing.recv(REQUEST_BYTES).decode(errors="replace")
                name, _, reason = text.partition("\n")
                yield name, reason

    def close(self) -> None:
        self._hearing.close()
