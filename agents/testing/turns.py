"""A whole turn without a server, a database or a gate: a model, and tools made of functions."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from agents.model_clients.protocol import (
    JSON,
    ChatMessage,
    ModelClient,
    ModelReply,
    ModelRequest,
    ToolDefinition,
    ToolRequest,
)

type Tool = Callable[[JSON], JSON]

TOOL_TYPES = ("fetch", "calculator", "datetime", "document")


def tool_definitions(types: Iterable[str] = TOOL_TYPES) -> tuple[ToolDefinition, ...]:
    """Definitions whose slug is their type, as `migrate` makes them."""
    schema = {"type": "object", "properties": {}}
    return tuple(ToolDefinition(name, f"the {name} tool", schema, name) for name in types)


@dataclass(slots=True)
class Played:
    """`calls`: (tool, arguments) in order; `text`: the last reply's; `messages`: the prompt."""

    text: str = ""
    calls: list[tuple[str, JSON]] = field(default_factory=list)
    messages: list[ChatMessage] = field(default_factory=list)


def play_turn(
    client: ModelClient,
    message: str,
    tools: Mapping[str, Tool],
    *,
    max_steps: int = 5,
    time_zone: str = "UTC",
    language: str = "en",
) -> Played:
    """Asks, performs the calls, asks again; after `max_steps` once more without tools.

    A tool gives a whole result: `{"success": true, "data": …}` or `{"success": false, "error": …}`.
    """
    played = Played(messages=[ChatMessage("user", message)])
    for step in range(max_steps + 1):
        offered = tool_definitions(tools) if step < max_steps else ()
        messages = tuple(played.messages)
        reply = client.complete(ModelRequest(messages, offered, language, time_zone))
        played.text = reply.text
        if not reply.tool_calls:
            break
        _perform(reply, tools, played)
    return played


def _perform(reply: ModelReply, tools: Mapping[str, Tool], played: Played) -> None:
    played.messages.append(ChatMessage("assistant", reply.text, reply.tool_calls))
    for call in reply.tool_calls:
        played.calls.append((call.name, call.arguments or {}))
        played.messages.append(tool_message(call, tools[call.name](call.arguments or {})))


def tool_message(call: ToolRequest, result: JSON) -> ChatMessage:
    return ChatMessage("tool", json.dumps(result, ensure_ascii=False), tool_call_id=call.id)
