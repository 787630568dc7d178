"""JSON-RPC 2.0 as MCP uses it: messages out and in. Pure."""

import json
import uuid
from collections.abc import Mapping
from typing import Any, Literal

from django.utils.translation import gettext as _

from config.base.storable import storable
from tools.mcp.errors import McpError
from tools.schemas import JSON
from tools.secrets.known import hide_bytes

METHOD_NOT_FOUND = -32601

type Kind = Literal["reply", "request", "other"]


def request(method: str, params: Mapping[str, Any]) -> JSON:
    """Its id can't be guessed, so nothing but its answer is taken for one."""
    return {"jsonrpc": "2.0", "id": uuid.uuid4().hex, "method": method, "params": dict(params)}


def notification(method: str) -> JSON:
    return {"jsonrpc": "2.0", "method": method}


def answer_to_server(asked: JSON) -> JSON:
    """A ping is answered; whatever else a server asks of us we do not do."""
    answer: JSON = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked.get("method") == "ping":
        return {**answer, "result": {}}
    return {**answer, "error": {"code": METHOD_NOT_FOUND, "message": "Not supported"}}


def encode(message: JSON) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def decode(data: bytes) -> JSON:
    """Without known secrets, which parsing could tear apart. Raises `McpError`."""
    try:
        message = json.loads(hide_bytes(data))
    except (ValueError, RecursionError):
        raise _broken(_("The MCP server's answer is not valid JSON.")) from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise _broken(_("The MCP server's answer is no JSON-RPC message."))
    cleaned: JSON = storable(message)
    return cleaned


def kind_of(message: JSON, request_id: str) -> Kind:
    if "method" in message:
        return "request" if isinstance(message.get("id"), str | int) else "other"
    is_ours = message.get("id") == request_id
    return "reply" if is_ours and ("result" in message or "error" in message) else "other"


def is_error_without_id(message: JSON) -> bool:
    """How a server refuses a request that it could not even read."""
    return message.get("id") is None and isinstance(message.get("error"), dict)


def _broken(text: str) -> McpError:
    return McpError(text, request_sent=True)
