"""What a reply has cost: as the server says, else an estimate that is marked as one."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal

from agents.model_clients.protocol import ChatMessage, ModelReply, ModelRequest, Usage
from documents.tokens import estimate_tokens

_PER_MESSAGE = 4  # role and separators
_MILLION = Decimal(1_000_000)


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


def settled(
    reply: ModelReply,
    request: ModelRequest,
    prices: Prices,
    listed: Callable[[Usage], float | None],
) -> ModelReply:
    """The reply with its usage complete. The operator's prices come before `listed` ones."""
    usage = reply.usage
    if not usage.input_tokens:  # every prompt has some
        usage = Usage(
            input_tokens=estimate_prompt(request),
            output_tokens=usage.output_tokens or estimate_reply(reply),
            estimated=True,
        )
    cost = prices.cost_usd(usage)
    return replace(reply, usage=replace(usage, cost_usd=listed(usage) if cost is None else cost))


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
