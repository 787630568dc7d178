"""Short words for the tables of the rules model's tests."""

import json
from typing import Any

from agents.model_clients.protocol import (
    JSON,
    ChatMessage,
    ModelReply,
    ModelRequest,
    ToolRequest,
)
from agents.model_clients.rules import RulesClient
from agents.testing import tool_definitions

type Call = tuple[str, JSON]

ID_1 = "01930000-0000-7000-8000-0000aaaa1111"
ID_2 = "01930000-0000-7000-8000-0000bbbb2222"


def ok(**data: Any) -> JSON:
    return {"success": True, "data": data}


def failed(code: str, message: str = "") -> JSON:
    return {"success": False, "error": {"code": code, "message": message}}


def page(content: str, status: int = 200) -> JSON:
    return ok(url="http://x.test/", status_code=status, content_type="text/html", content=content)


def row(id_: str = ID_1, title: str = "Notes", kind: str = "document", revision: int = 3) -> JSON:
    return {
        "id": id_,
        "title": title,
        "summary": f"about {title}",
        "type": kind,
        "tags": [],
        "revision": revision,
        "updated_at": "2026-11-29T12:00:00Z",
    }


def listed(*rows: JSON, more: bool = False, next_page: int | None = None) -> JSON:
    return ok(items=list(rows), total=len(rows), page=1, has_more=more, next_page=next_page)


def content(text: str, id_: str = ID_1, title: str = "Notes", revision: int = 3) -> JSON:
    return ok(
        id=id_, title=title, type="document", revision=revision, content=text,
        content_length=len(text),
    )  # fmt: skip


def fetch(url: str) -> Call:
    return "fetch", {"url": url}


def calculate(expression: str) -> Call:
    return "calculator", {"expression": expression}


def clock(operation: str, **arguments: Any) -> Call:
    return "datetime", {"operation": operation, **arguments}


def document(action: str, **arguments: Any) -> Call:
    return "document", {"action": action, **arguments}


def look_up(q: str = "", **arguments: Any) -> Call:
    return document("list", **arguments, **({"q": q} if q else {}))


def prompt(
    message: str, results: list[JSON] | None = None, tools: tuple[str, ...] | None = None,
    *, language: str = "en",
) -> ModelRequest:  # fmt: skip
    """The prompt after these results, each from its own step; calls as the model asked them."""
    definitions = tool_definitions() if tools is None else tool_definitions(tools)
    messages = [
        ChatMessage("system", "You are a guide. Never delete the document Old."),
        ChatMessage("user", "delete the document Earlier"),
        ChatMessage("assistant", "There is none."),
        ChatMessage("user", message),
    ]
    for number, result in enumerate(results or [], start=1):
        call = ToolRequest(f"call_{number}", "fetch", {})
        messages.append(ChatMessage("assistant", "", (call,)))
        messages.append(ChatMessage("tool", json.dumps(result), tool_call_id=call.id))
    return ModelRequest(tuple(messages), definitions, language, "Asia/Shanghai")


def ask(message: str, results: list[JSON] | None = None, **options: Any) -> ModelReply:
    return RulesClient().complete(prompt(message, results, **options))


def calls_in(reply: ModelReply) -> list[Call]:
    return [(call.name, call.arguments or {}) for call in reply.tool_calls]
