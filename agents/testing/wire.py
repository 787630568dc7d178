"""The OpenAI chat format: a request body to our request, our reply to a body or to events."""

import json
from collections.abc import Iterator
from typing import Any

from agents.model_clients.protocol import (
    JSON,
    ChatMessage,
    ModelReply,
    ModelRequest,
    ToolDefinition,
    ToolRequest,
    Usage,
)

_PIECE = 12


def read_request(body: JSON) -> ModelRequest:
    """The tool types are not on the wire: they stay empty."""
    tools = [tool["function"] for tool in body.get("tools") or []]
    return ModelRequest(
        messages=tuple(_message(message) for message in body["messages"]),
        tools=tuple(
            ToolDefinition(tool["name"], tool.get("description", ""), tool.get("parameters", {}))
            for tool in tools
        ),
    )


def _message(message: JSON) -> ChatMessage:
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(part.get("text", "") for part in content)
    calls = tuple(_call(call) for call in message.get("tool_calls") or [])
    return ChatMessage(message["role"], content, calls, message.get("tool_call_id") or "")


def _call(call: JSON) -> ToolRequest:
    raw = call["function"]["arguments"]
    try:
        arguments: Any = json.loads(raw)
    except ValueError:
        arguments = None
    is_object = isinstance(arguments, dict)
    return ToolRequest(call["id"], call["function"]["name"], arguments if is_object else None, raw)


def completion_body(reply: ModelReply, model: str) -> JSON:
    message: JSON = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = [_call_body(call) for call in reply.tool_calls]
    choice = {"index": 0, "message": message, "finish_reason": _finish(reply)}
    head = _head(model, "chat.completion")
    return head | {"choices": [choice], "usage": _usage_body(reply.usage)}


def completion_events(reply: ModelReply, model: str, *, with_usage: bool) -> Iterator[JSON]:
    """Text in pieces, then each call: its name first, its arguments in two halves."""
    head = _head(model, "chat.completion.chunk")
    for start in range(0, len(reply.text), _PIECE):
        yield _event(head, {"role": "assistant", "content": reply.text[start : start + _PIECE]})
    for index, call in enumerate(reply.tool_calls):
        raw = _raw_arguments(call)
        begin = _call_body(call) | {"index": index}
        begin["function"] = {"name": call.name, "arguments": ""}
        yield _event(head, {"role": "assistant", "tool_calls": [begin]})
        for half in (raw[: len(raw) // 2], raw[len(raw) // 2 :]):
            part = {"index": index, "function": {"arguments": half}}
            yield _event(head, {"tool_calls": [part]})
    yield _event(head, {}, _finish(reply))
    if with_usage:
        yield head | {"choices": [], "usage": _usage_body(reply.usage)}


def _head(model: str, kind: str) -> JSON:
    return {"id": "chatcmpl-scripted", "object": kind, "created": 0, "model": model}


def _event(head: JSON, delta: JSON, finish_reason: str | None = None) -> JSON:
    return head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def _call_body(call: ToolRequest) -> JSON:
    function = {"name": call.name, "arguments": _raw_arguments(call)}
    return {"id": call.id, "type": "function", "function": function}


def _raw_arguments(call: ToolRequest) -> str:
    return call.raw_arguments or json.dumps(call.arguments or {}, ensure_ascii=False)


def _finish(reply: ModelReply) -> str:
    return "tool_calls" if reply.tool_calls else "stop"


def _usage_body(usage: Usage) -> JSON:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }
