"""The client of a profile whose key can't be opened: it fails like a model, so others stand in."""

from collections.abc import Iterator

from agents.model_clients.errors import ModelKeyUnusable
from agents.model_clients.protocol import ModelReply, ModelRequest, StreamItem


class KeylessClient:
    """A `ModelClient`. `reason` is the code of what is wrong with the secret."""

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def complete(self, request: ModelRequest) -> ModelReply:
        error = ModelKeyUnusable()
        error.raw = self._reason
        raise error

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        yield self.complete(request)
