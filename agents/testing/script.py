"""What the scripted server answers, line by line, and what it was asked."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from agents.model_clients.protocol import JSON, ModelReply, ModelRequest


@dataclass(frozen=True, slots=True)
class HttpError:
    """An error answer, as the well-known servers give it."""

    status: int = 500
    message: str = "scripted error"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until the caller gives up or the server is closed."""


@dataclass(frozen=True, slots=True)
class Drop:
    """The connection is cut after this many pieces of the reply, without an end."""

    reply: ModelReply
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes as they are, with a pause before each part but the first."""

    parts: Sequence[bytes] = ()
    status: int = 200
    content_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    pause_seconds: float = 0.0


type Answer = ModelReply | str | HttpError | Hang | Drop | Raw
type Line = Answer | Callable[[ModelRequest], Answer]


class ServerScript:
    """Lines are taken in order; then `otherwise` answers, or an error 500 that says so.

    `bodies` are the JSON bodies of the completions asked for, `headers` those of
    each, by lower-case name, `sent_bytes` what was written of raw answers. Without `usage` it
    never says how many tokens it took.
    """

    def __init__(
        self, lines: Iterable[Line] = (), otherwise: Line | None = None, *, usage: bool = True
    ) -> None:
        self._lines = list(lines)
        self._otherwise = otherwise
        self.usage = usage
        self.sent_bytes = 0
        self._lock = threading.Lock()
        self.bodies: list[JSON] = []
        self.headers: list[dict[str, str]] = []

    def answer(self, body: JSON, headers: dict[str, str], request: ModelRequest) -> Answer:
        with self._lock:
            self.bodies.append(body)
            self.headers.append(headers)
            line = self._lines.pop(0) if self._lines else self._otherwise
        if line is None:
            return HttpError(500, "The script has no line left.")
        return line(request) if callable(line) else line
