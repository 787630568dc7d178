"""Examples of the documentation: one conversation, from the question to the receipt.

A test holds each of them against its schema.
"""

from typing import Any

from drf_spectacular.utils import OpenApiExample

_RUN = "01a2297a-303a-7561-85c1-555ef3fd3c95"
_CONVERSATION = "01a2297a-3036-7196-b270-b45bded16638"
_DOCUMENT = "01a2297a-2f6c-7877-a042-4dc5f2ee3d77"
_ARGUMENTS = {"action": "delete", "id": _DOCUMENT}
_RECEIPT = {"action": "delete", "id": _DOCUMENT, "revision": 2}
_APPROVAL = {
    "gate": "approval",
    "outcome": "needs_confirmation",
    "reason_code": "type_requires_approval",
    "reason": "This action always needs a person's approval.",
}

AGENT = {
    "id": "01a2297a-2272-7f4a-9685-8f7cbaf35da2",
    "slug": "guide",
    "name": "Guide",
    "mode": "loop",
}
SET_AGENT_TOOLS = {
    "tools": [
        {"tool": "calculator"},
        {"tool": "fetch", "needs_approval": True},
    ]
}
AGENT_TOOLS = {
    "by_default": False,
    "tools": [
        {"tool": "calculator", "enabled": True, "needs_approval": None},
        {"tool": "fetch", "enabled": True, "needs_approval": True},
    ],
}
PROJECT = {"slug": "demo", "name": "Demo", "role": "employee"}
CONVERSATION = {
    "id": _CONVERSATION,
    "title": "delete the document Minutes",
    "agent": "guide",
    "project": "demo",
    "context_version": 1,
    "message_count": 2,
    "last_reply_at": "2026-11-29T22:43:24.174000Z",
    "last_reply_text": "Deleted: Minutes.",
    "unread": 0,
    "created_at": "2026-11-29T22:43:23.318904Z",
    "updated_at": "2026-11-29T22:43:24.167958Z",
}
MESSAGE = {
    "id": "01a2297a-3040-7cfd-a543-90b6b483c763",
    "position": 1,
    "role": "user",
    "text": "delete the document Minutes",
    "provenance": ["own"],
    "run_id": _RUN,
    "created_at": "2026-11-29T22:43:23.329037Z",
}
CONSENT = {
    "id": "01a2297a-3a10-7b1e-9d55-31a2c0f4a8be",
    "conversation_id": _CONVERSATION,
    "kind": "web",
    "service": "search.example.com",
    "given_at": "2026-11-29T22:43:24.174000Z",
    "until": "2026-11-30T22:43:24.174000Z",
}
RUN = {
    "id": _RUN,
    "agent": "guide",
    "conversation_id": _CONVERSATION,
    "context_version": 1,
    "origin": "chat",
    "status": "completed",
    "response_status": "COMPLETED",
    "tools": ["document"],
    "error_code": "",
    "input_tokens": 560,
    "output_tokens": 28,
    "created_at": "2026-11-29T22:43:23.323610Z",
    "started_at": "2026-11-29T22:43:23.388000Z",
    "finished_at": "2026-11-29T22:43:24.175000Z",
}
DRAFT: dict[str, Any] = {
    "id": "01a2297a-31c0-7fc2-bffb-c65797851d2e",
    "kind": "action",
    "version": 1,
    "state": "draft",
    "tool": "document",
    "tool_name": "Documents",
    "tool_type": "document",
    "title": "Delete the document “Minutes”",
    "scope": "your documents",
    "preview": {"kind": "text", "text": "We agreed."},
    "arguments": _ARGUMENTS,
    "editable": [],
    "missing_fields": [],
    "targets": [{"type": "document", "id": _DOCUMENT, "version": 1, "title": "Minutes"}],
    "sources": [],
    "reversible": True,
    "risk": "L2",
    "effect": "inside",
    "expires_at": "2026-11-29T23:13:23.729000Z",
    "rememberable": False,
    "decision": {**_APPROVAL, "reasons": [_APPROVAL]},
    "proposed_arguments": _ARGUMENTS,
    "executed_arguments": None,
    "reason": "",
    "reason_text": "",
    "error": None,
    "receipt": None,
    "log_id": "01a2297a-31b8-7d0e-8a53-6f7f2b1c9d44",
    "run_id": _RUN,
    "conversation_id": _CONVERSATION,
}
STANDING_APPROVAL = {
    "id": "01a2297a-33b1-7c55-9f0e-2f1a6b0d8c11",
    "tool": "send_message",
    "agent_id": AGENT["id"],
    "conversation_id": _CONVERSATION,
    "state": "active",
    "reasons": ["tool_needs_approval"],
    "uses": 2,
    "uses_left": 8,
    "draft_id": "01a2297a-31c0-7fc2-bffb-c65797851d2e",
    "created_at": "2026-11-29T22:45:10.120000Z",
    "expires_at": "2026-11-30T22:45:10.120000Z",
    "last_used_at": "2026-11-29T22:46:02.500000Z",
    "revoked_at": None,
}
EXECUTED_DRAFT = {
    **DRAFT,
    "state": "executed",
    "executed_arguments": _ARGUMENTS,
    "receipt": _RECEIPT,
}
WAITING: dict[str, Any] = {
    "run_id": _RUN,
    "conversation_id": _CONVERSATION,
    "context_version": 1,
    "intent": "",
    "status": "NEEDS_CONFIRMATION",
    "answer": "",
    "source_summary": [],
    "citations": [],
    "resources": [],
    "data": {"decisions": []},
    "action_draft": DRAFT,
    "clarification": None,
    "next_actions": [],
    "error": None,
    "warnings": [],
    "usage": {"input_tokens": 319, "output_tokens": 24, "cost_usd": "0.000000", "estimated": False},
}
COMPLETED = {
    **WAITING,
    "status": "COMPLETED",
    "answer": "Deleted: Minutes.",
    "action_draft": None,
    "usage": {"input_tokens": 560, "output_tokens": 28, "cost_usd": "0.000000", "estimated": False},
}
RUNNING = OpenApiExample(
    "it takes longer than two minutes",
    value={**COMPLETED, "status": "RUNNING", "answer": ""},
    response_only=True,
    status_codes=["202"],
)
_ANSWER = {"data": {"id": _DOCUMENT, "deleted": True}, "truncated": False, "warnings": []}
DECIDED = {
    "draft": EXECUTED_DRAFT,
    "receipt": _RECEIPT,
    "result": _ANSWER,
    "response": COMPLETED,
}
GOES_ON = OpenApiExample(
    "confirmed, and the run takes longer than two minutes",
    value={**DECIDED, "response": {**COMPLETED, "status": "RUNNING", "answer": ""}},
    response_only=True,
    status_codes=["202"],
)
EVENT = OpenApiExample(
    "a piece of text",
    value={"id": "4", "event": "text.delta", "data": '{"step": 1, "text": "12.5% of 80 "}'},
    response_only=True,
    media_type="text/event-stream",
)
