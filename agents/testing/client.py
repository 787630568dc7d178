"""`ScriptedClient`: a model that says what the test wrote down."""

from collections.abc import Callable, Iterable, Iterator

from agents.model_clients.errors import ModelError
from agents.model_clients.protocol import ModelReply, ModelRequest, StreamItem, TextDelta

type Line = ModelReply | str | Exception | Callable[[ModelRequest], "ModelReply | str"]


class ScriptedClient:
    """A `ModelClient`. Each call takes the next line: a reply, its text, an error, or a function.

    `requests` holds what it was asked. A script that has ended raises `ModelError`.
    """

    def __init__(self, script: Iterable[Line] = ()) -> None:
        self.script = list(script)
        self.requests: list[ModelRequest] = []

    def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        if not self.script:
            raise ModelError("The script has no line left.")
        line = self.script.pop(0)
        if isinstance(line, Exception):
            raise line
        said = line(request) if callable(line) else line
        return ModelReply(said) if isinstance(said, str) else said

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        reply = self.complete(request)
        for start in range(0, len(reply.text), 8):
            yield TextDelta(reply.text[start : start + 8])
        yield reply
