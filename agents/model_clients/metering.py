"""What asking a model has used so far: what is paid for even when no whole reply comes of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agents.model_clients.protocol import ModelReply, ModelRequest, Usage
from agents.model_clients.usage import Cost, estimate_prompt, estimate_reply, with_cost


@dataclass(slots=True)
class Asked:
    """One attempt. Written by the thread that asks, read by the one that listens."""

    request: ModelRequest
    heard: Callable[[], ModelReply]  # so far
    cost_of: Cost
    answered: bool = False  # a server has begun to
    failed: bool = False
    reply: ModelReply | None = None

    def usage(self) -> Usage:
        if self.reply is not None:
            return self.reply.usage
        output = estimate_reply(self.heard())
        used = Usage(estimate_prompt(self.request), output, estimated=True)
        return with_cost(used, self.cost_of)


@dataclass(slots=True)
class Meter:
    """Over all attempts and all models of one question."""

    asked: list[Asked] = field(default_factory=list)

    def begin(self, asked: Asked) -> Asked:
        self.asked.append(asked)
        return asked

    def wasted(self) -> Usage:
        """What was answered in part."""
        return _sum([one for one in self.asked if one.answered and one.reply is None])

    def used(self) -> Usage:
        return _sum([one for one in self.asked if one.answered])

    def used_or_sent(self) -> Usage:
        """With what a server was at work on when its listener left."""
        return _sum([one for one in self.asked if one.answered or not one.failed])


def added(one: Usage, other: Usage) -> Usage:
    costs = [usage.cost_usd for usage in (one, other) if usage.cost_usd is not None]
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        sum(costs) if costs else None,
        one.estimated or other.estimated,
    )


def _sum(asked: list[Asked]) -> Usage:
    total = Usage()
    for one in asked:
        total = added(total, one.usage())
    return total
