"""Examples of the documentation; a test holds each of them against its schema."""

_CALCULATOR = "01a22979-fc60-7f40-907f-3952c8174b92"
_CALL = "01a2297a-35d3-7e2c-8c4e-416209e1ea46"
_ALLOWED = {
    "gate": "enabled",
    "outcome": "allow",
    "reason_code": "enabled",
    "reason": "The tool is switched on.",
}
DECISION = {**_ALLOWED, "reasons": [_ALLOWED]}

NEW_TOOL = {
    "name": "Handbook",
    "slug": "handbook",
    "type": "fetch",
    "config": {"allowed_domains": ["handbook.example.com"], "timeout_ms": 5000},
}
TOOL = {
    "id": _CALCULATOR,
    "name": "Calculator",
    "slug": "calculator",
    "description": "",
    "type": "calculator",
    "config": {},
    "needs_approval": False,
    "calls_per_day": 0,
    "calls_today": None,
    "enabled": True,
    "sort_order": 0,
    "created_at": "2026-11-29T22:43:10.049465Z",
    "updated_at": "2026-11-29T22:43:10.049504Z",
}
TOOL_TYPE = {
    "name": "calculator",
    "label": "Calculator",
    "description": "Computes one arithmetic expression exactly.",
    "config_schema": {
        "type": "object",
        "properties": {"max_expression_chars": {"type": "integer"}},
    },
    "input_schema": {
        "type": "object",
        "properties": {"expression": {"type": "string"}},
        "required": ["expression"],
    },
    "annotations": {"read_only": True, "risk": "L0", "requires_approval": False},
    "log_payload": "full",
    "roles": None,
    "needs_set_up": False,
    "first_party": True,
    "default_timeout_seconds": 5.0,
}
EXECUTED = {
    "success": True,
    "data": {"result": "10"},
    "error": None,
    "metadata": {"duration_ms": 16, "warnings": []},
    "decision": DECISION,
    "action_draft": None,
    "log_id": _CALL,
}
FAILED = {
    **EXECUTED,
    "success": False,
    "data": None,
    "error": {"code": "invalid_arguments", "message": "expression: Field required"},
    "decision": None,
}
LOG = {
    "id": _CALL,
    "tool": "calculator",
    "tool_id": _CALCULATOR,
    "type": "calculator",
    "user": "operator",
    "user_id": "01a22979-fcd2-7a84-a766-abafc05f2dda",
    "role": "operator",
    "origin": "api",
    "agent_id": None,
    "conversation_id": None,
    "run_id": None,
    "skill": "",
    "skill_version": "",
    "input_digest": "bb29c34b0ebd16837851ddf10466359e2279b9e5df08be2a6f7c5649b3bee030",
    "effect": "none",
    "decision": DECISION,
    "status": "success",
    "attempt": 0,
    "error_code": "",
    "error_message": "",
    "receipt": {},
    "duration_ms": 16,
    "created_at": "2026-11-29T22:43:24.775289Z",
    "started_at": "2026-11-29T22:43:24.788918Z",
    "finished_at": "2026-11-29T22:43:24.805000Z",
    "input": {"expression": "12.5% * 80"},
    "output": {"result": "10"},
    "truncated": False,
    "input_bytes": 27,
    "output_bytes": 15,
    "draft": None,
}
