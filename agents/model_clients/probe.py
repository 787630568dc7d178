"""Trying a model out: one tiny prompt, with what an operator needs to mend what fails."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from agents.model_clients.errors import ModelError
from agents.model_clients.protocol import (
    ChatMessage,
    ModelClient,
    ModelReply,
    ModelRequest,
    StreamItem,
    ToolDefinition,
    Usage,
)
from agents.model_clients.supervised import supervised

PROBE_SECONDS = 30.0
_MAX_SHOWN = 200
_CALCULATOR = ToolDefinition(
    "calculator",
    "Computes an expression exactly.",
    {
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
    },
    "calculator",
)
_PROMPT = ModelRequest(
    (ChatMessage("user", "What is 6*7? Call the function calculator; do not work it out."),),
    (_CALCULATOR,),
)


@dataclass(frozen=True, slots=True)
class Probe:
    """`first_ms`: until the first piece of text or the whole answer. No content but its answer."""

    ok: bool
    total_ms: int
    first_ms: int = 0
    model: str = ""
    text: str = ""
    calls_tools: bool = False
    usage: Usage = field(default_factory=Usage)
    warnings: tuple[str, ...] = ()
    error: ModelError | None = None


def probe(client: ModelClient, *, seconds: float = PROBE_SECONDS) -> Probe:
    """Never raises and never takes longer than `seconds`."""
    begun = time.monotonic()
    first_ms = 0
    reply = ModelReply()
    masked: Callable[[str], str] = getattr(client, "masked", str)  # who has no key hides none
    try:
        for item in _answer(client, seconds):
            first_ms = first_ms or _ms_since(begun)
            if isinstance(item, ModelReply):
                reply = item
    except ModelError as error:
        return Probe(ok=False, total_ms=_ms_since(begun), error=error)
    return Probe(
        ok=True,
        total_ms=_ms_since(begun),
        first_ms=first_ms,
        model=masked(reply.model),
        text=masked(reply.text)[:_MAX_SHOWN],
        calls_tools=any(call.name == "calculator" and call.arguments for call in reply.tool_calls),
        usage=reply.usage,
        warnings=tuple(masked(warning) for warning in reply.warnings),
    )


def _answer(client: ModelClient, seconds: float) -> Iterator[StreamItem]:
    try:
        yield from supervised(client, _PROMPT, seconds=seconds, look_up=lambda: None)
    except ModelError:
        raise
    except Exception as error:
        told = ModelError(_("The client itself failed."))
        told.raw = type(error).__name__
        raise told from error


def _ms_since(begun: float) -> int:
    return max(round((time.monotonic() - begun) * 1000), 1)
