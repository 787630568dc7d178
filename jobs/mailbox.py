"""The queues between django-q2's processes, without a lock that one of them could die with.

A reader of `multiprocessing.Queue` waits inside a lock of that queue: killed there, it takes the
lock along and all the others wait for ever, alive: in 5 of 12 tries (measured). A datagram is
handed whole to one of those who wait, by the kernel. The other lock of theirs is in jobs/timer.py.
"""

import pickle
import select
import socket
import time
from typing import Any

LONGEST_BYTES = 65_536
LOOK_SECONDS = 0.02
STOP = "STOP"  # django-q2's word to each reader


class Mailbox:
    """As much of `multiprocessing.Queue` as django-q2 uses, for processes that are forked."""

    def __init__(self, maxsize: int = 0) -> None:
        """With any `maxsize` only one waits at a time."""
        self._reader, self._writer = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._is_bounded = bool(maxsize)

    def put(self, item: Any) -> None:
        while self._is_bounded and item != STOP and not self.empty():
            time.sleep(LOOK_SECONDS)
        self._writer.send(pickle.dumps(item))

    def get(self) -> Any:
        return pickle.loads(self._reader.recv(LONGEST_BYTES))  # noqa: S301 (from our own processes)

    def empty(self) -> bool:
        """Also of one that this process has closed."""
        is_closed = self._reader.fileno() == -1
        return is_closed or not select.select([self._reader], [], [], 0)[0]

    def qsize(self) -> int:
        """No more is known than whether something waits."""
        return 0 if self.empty() else 1

    def close(self) -> None:
        """For this process; the others read on, and the sockets end with the last of them."""
        self._reader.close()
        self._writer.close()

    def join_thread(self) -> None:
        """What was put has been sent."""
