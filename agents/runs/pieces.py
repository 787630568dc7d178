"""Text of a reply on its way into the event log: in pieces, none of which waits for long."""

import time

from agents.runs import events
from agents.runs.fence import RunFence
from config.base.storable import storable

PIECE_SECONDS = 0.2  # text is stored in pieces of at most this long
_CHECK_SECONDS = 1.0


class Pieces:
    def __init__(self, fence: RunFence, step: int) -> None:
        self._fence, self._step = fence, step
        self._checked = time.monotonic()
        self.drop()

    def drop(self) -> None:
        """What is not stored yet is void."""
        self._text, self._since = "", time.monotonic()

    def add(self, text: str) -> None:
        self._text += text
        if time.monotonic() - self._since >= PIECE_SECONDS:
            self.store()

    def store(self) -> None:
        """Raises `LeaseLost` when the run was taken over or stopped."""
        if self._text:
            events.emit(self._fence, "text.delta", step=self._step, text=storable(self._text))
        self.drop()

    def look_up(self) -> None:
        """While the model is silent: show what it has said, and see whether it is still wanted."""
        if self._text:
            self.store()
        elif time.monotonic() - self._checked >= _CHECK_SECONDS:
            self._checked = time.monotonic()
            self._fence.look_up()
