"""What the prompt says about this turn: the user's words, and what their calls brought so far."""

import json
from dataclasses import dataclass, field
from typing import Any

from agents.model_clients.protocol import JSON, ChatMessage, ModelRequest


@dataclass(frozen=True, slots=True)
class Outcome:
    """A tool's result as the pipeline put it into the prompt."""

    success: bool
    data: JSON = field(default_factory=dict)
    code: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """`rounds`: the outcomes of each assistant message with calls; None where one is missing."""

    message: str
    rounds: tuple[tuple[Outcome | None, ...], ...] = ()
    call_count: int = 0


def read_turn(request: ModelRequest) -> Turn:
    """Only what stands after the last user message belongs to the turn."""
    at = max((n for n, m in enumerate(request.messages) if m.role == "user"), default=None)
    if at is None:
        return Turn("")
    since = request.messages[at + 1 :]
    results = {m.tool_call_id: _outcome(m) for m in since if m.role == "tool"}
    asked = [message.tool_calls for message in since if message.tool_calls]
    rounds = tuple(tuple(results.get(call.id) for call in calls) for calls in asked)
    return Turn(request.messages[at].content, rounds, sum(map(len, asked)))


def _outcome(message: ChatMessage) -> Outcome:
    try:
        result: Any = json.loads(message.content)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        return Outcome(success=False, code="unreadable", message=message.content[:200])
    if result.get("success") is True:
        data = result.get("data")
        return Outcome(success=True, data=data if isinstance(data, dict) else {"result": data})
    error = result.get("error")
    error = error if isinstance(error, dict) else {}
    return Outcome(False, {}, str(error.get("code", "")), str(error.get("message", "")))
