"""What a reply has cost: as the server says, else an estimate that is marked as one."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from agents.model_clients.protocol import ChatMessage, ModelReply, ModelRequest, Usage
from documents.tokens import estimate_tokens

_PER_MESSAGE = 4  # role and separators
_MILLION = Decimal(1_000_000)
_FAR_BELOW = 4  # our estimate is better than that
_SLACK = 200  # servers differ in what they count around a short prompt


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a million tokens; None: unknown."""

    input_usd: Decimal | None = None
    output_usd: Decimal | None = None

    def cost_usd(self, usage: Usage) -> float | None:
        if self.input_usd is None and self.output_usd is None:
            return None
        asked = (self.input_usd or 0) * usage.input_tokens
        return float((asked + (self.output_usd or 0) * usage.output_tokens) / _MILLION)


type Cost = Callable[[Usage], float | None]


def settled(reply: ModelReply, request: ModelRequest, cost_of: Cost) -> ModelReply:
    """The reply with its usage complete."""
    usage = _believed(reply.usage, estimate_prompt(request), estimate_reply(reply))
    return replace(reply, usage=with_cost(usage, cost_of))


def with_cost(usage: Usage, cost_of: Cost) -> Usage:
    return replace(usage, cost_usd=cost_of(usage))


def _believed(said: Usage, asked: int, answered: int) -> Usage:
    """What the server says, unless it is nothing or far too little: budgets go by it."""
    counted = (_floor(said.input_tokens, asked), _floor(said.output_tokens, answered))
    if counted == (said.input_tokens, said.output_tokens):
        return said
    return Usage(*counted, estimated=True)


def _floor(said: int, estimate: int) -> int:
    return said if said and said * _FAR_BELOW + _SLACK >= estimate else estimate


def estimate_prompt(request: ModelRequest) -> int:
    tools = sum(
        estimate_tokens(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}")
        for tool in request.tools
    )
    return tools + sum(_estimate_message(message) for message in request.messages)


def estimate_reply(reply: ModelReply) -> int:
    calls = sum(estimate_tokens(f"{call.name} {call.raw_arguments}") for call in reply.tool_calls)
    return calls + estimate_tokens(reply.text)


def _estimate_message(message: ChatMessage) -> int:
    calls = sum(estimate_tokens(f"{call.name} {call.raw_arguments}") for call in message.tool_calls)
    return _PER_MESSAGE + calls + estimate_tokens(message.content)
