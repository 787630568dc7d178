"""The product as it is served, but for the offline model: this one answers at once.

A message that begins with `slowly` gets its answer in pieces over four seconds, so that many
streams are open at a time.
"""

import time
from collections.abc import Iterator

from agents.model_clients.protocol import ModelReply, ModelRequest, StreamItem, TextDelta
from config.asgi import application

PIECES, PIECE_SECONDS = 20, 0.2


class BenchModel:
    def complete(self, request: ModelRequest) -> ModelReply:
        return ModelReply(text="Done.")

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        reply = self.complete(request)
        if not request.messages[-1].content.startswith("slowly"):
            yield reply
            return
        for _n in range(PIECES):
            time.sleep(PIECE_SECONDS)
            yield TextDelta("word ")
        yield ModelReply(text="word " * PIECES)


# `client_for` looks the offline client up by this name for every run.
from agents.model_clients import rules  # noqa: E402  (needs the apps, which config.asgi loads)

rules.RulesClient = BenchModel  # type: ignore[misc,assignment]

__all__ = ["application"]
