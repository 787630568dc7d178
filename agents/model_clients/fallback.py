"""Asking one model after the other, in the order that an operator has set."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from agents.model_clients.errors import ModelError
from agents.model_clients.protocol import (
    ModelClient,
    ModelReply,
    ModelRequest,
    Restarted,
    StreamItem,
    Usage,
)
from agents.model_clients.retries import nobody_listens


class FallbackClient:
    """A `ModelClient` over several, each with its name. Made for one run.

    The next is asked when one can't answer and another might; the run then stays with the one that
    did, so that it does not wait for the first again at every step.
    """

    def __init__(self, clients: Sequence[tuple[str, ModelClient]]) -> None:
        self._clients = list(clients)
        # Those that work in this process take no time; see `supervised`.
        self.patience_seconds: float = sum(
            getattr(client, "patience_seconds", 0.0) for _name, client in clients
        )

    def most(self, input_tokens: int) -> Usage:
        """Of whichever may answer, the dearest."""
        each = [most_of(client, input_tokens) for _name, client in self._clients]
        return Usage(
            input_tokens,
            max(usage.output_tokens for usage in each),
            max(usage.cost_usd or 0.0 for usage in each),
        )

    def complete(self, request: ModelRequest) -> ModelReply:
        missed: list[str] = []
        while True:
            name, client = self._clients[0]
            try:
                return _told(client.complete(request), name, missed)
            except ModelError as error:
                self._give_up(error, missed)

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        missed: list[str] = []
        while True:
            name, client = self._clients[0]
            begun = False
            try:
                for item in client.stream(request):
                    if isinstance(item, ModelReply):
                        yield _told(item, name, missed)
                        return
                    begun = not isinstance(item, Restarted)
                    yield item
                raise ModelError
            except ModelError as error:
                self._give_up(error, missed)
            if begun:
                yield Restarted()

    def _give_up(self, error: ModelError, missed: list[str]) -> None:
        """Go on with the next; raises `error` when there is none, or none could do better."""
        if not error.elsewhere or len(self._clients) == 1 or nobody_listens():
            raise error
        name, _client = self._clients.pop(0)
        missed.append(_("“%(name)s” did not answer: %(why)s") % {"name": name, "why": error})


def most_of(client: ModelClient, input_tokens: int) -> Usage:
    """What one reply is taken to use at most; a model in this process costs nobody anything."""
    most: Callable[[int], Usage] | None = getattr(client, "most", None)
    return Usage(input_tokens) if most is None else most(input_tokens)


def _told(reply: ModelReply, name: str, missed: list[str]) -> ModelReply:
    """Who answered is said when it is not who should have."""
    warnings = [*missed, _("“%(name)s” answered instead.") % {"name": name}] if missed else []
    return replace(
        reply,
        model=reply.model or name,
        warnings=tuple(dict.fromkeys([*warnings, *reply.warnings])),
    )
