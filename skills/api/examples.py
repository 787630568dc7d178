"""Examples of the documentation; a test holds each of them against its schema."""

from typing import Any

_AGENT = "01a2297a-2272-7f4a-9685-8f7cbaf35da2"
_SERIES = "01a2297c-7a04-7d60-8ad6-67f1d3a3f3c5"
_CONVERSATION = "01a2297a-3036-7196-b270-b45bded16638"
_GRANT = "01a2297e-51c0-7a52-93d7-0c3b5a1d9e44"

SKILL: dict[str, Any] = {
    "skill_id": "memory-recall",
    "version": "1.0.0",
    "kind": "tool",
    "name": "Memory recall",
    "description": "Answers from what you let the agent remember of you.",
    "scope": "single_chat",
    "commands": ["/memory-recall"],
    "enabled": True,
    "permissions": [
        {
            "code": "memory:read",
            "risk": "L1",
            "approval": "persistent",
            "label": "Read agent memories",
            "description": "Lets the agent look up what it remembers of you.",
            "granted": True,
            "grant": _GRANT,
        }
    ],
    "decision": {
        "outcome": "allow",
        "reason_code": "granted",
        "reason": "You have granted memory:read.",
        "missing": [],
    },
}
SKILL_NOT_PERMITTED: dict[str, Any] = {
    **SKILL,
    "permissions": [{**SKILL["permissions"][0], "granted": False, "grant": None}],
    "decision": {
        "outcome": "deny",
        "reason_code": "permission_missing",
        "reason": (
            "The permission is missing: Read agent memories (memory:read). Grant it under /skills/."
        ),
        "missing": ["memory:read"],
    },
}
GRANT: dict[str, Any] = {
    "id": _GRANT,
    "skill_id": "memory-recall",
    "code": "memory:read",
    "scope": "user",
    "agent": None,
    "status": "active",
    "version": "1.0.0",
    "granted_at": "2026-11-29T22:43:24.775289Z",
    "revoked_at": None,
}
REVOKED_GRANT: dict[str, Any] = {
    **GRANT,
    "scope": "agent",
    "agent": _AGENT,
    "status": "revoked",
    "revoked_at": "2026-11-30T07:30:00.250000Z",
}
GIVE: dict[str, Any] = {
    "skill_id": "memory-recall",
    "code": "memory:read",
    "scope": "user",
    "granted": True,
}
TAKE_BACK: dict[str, Any] = {**GIVE, "scope": "agent", "agent": _AGENT, "granted": False}
PERMISSION: dict[str, Any] = {**GIVE, "agent": None, "grant": _GRANT}
NO_PERMISSION: dict[str, Any] = {**TAKE_BACK, "grant": None}
SWITCH: dict[str, Any] = {"skill_id": "memory-recall", "agent": None, "enabled": False}
SWITCH_FORGOTTEN: dict[str, Any] = {"skill_id": "memory-recall", "agent": _AGENT, "enabled": None}
BINDING: dict[str, Any] = {
    "skill_id": "memory-recall",
    "agent": None,
    "enabled": False,
    "updated_at": "2026-11-29T22:43:24.775289Z",
}
SWITCHED: dict[str, Any] = {**SWITCH, "effective": False}
RUN: dict[str, Any] = {
    "id": "01a2297f-0b7e-7c1d-8f20-5c9a7f6b1c02",
    "skill_id": "memory-recall",
    "version": "1.0.0",
    "kind": "tool",
    "status": "succeeded",
    "error_code": "",
    "agent": _AGENT,
    "conversation": _CONVERSATION,
    "message": "01a2297a-303b-70b5-8a53-3f5ad2b5a0c1",
    "tool_call": "01a2297f-0b80-7f36-b9cf-43b2c66d7c11",
    "duration_ms": 14,
    "started_at": "2026-11-29T22:43:24.775289Z",
    "finished_at": "2026-11-29T22:43:24.789500Z",
}
RUN_REFUSED: dict[str, Any] = {
    **RUN,
    "status": "denied",
    "error_code": "permission_missing",
    "tool_call": None,
}
NEW_JOB: dict[str, Any] = {
    "skill_id": "goal-check-in-reminder",
    "agent": _AGENT,
    "scheduled_at": "2026-12-01T08:30:00+01:00",
    "note": "The first chapter",
}
NEW_SERIES: dict[str, Any] = {
    "skill_id": "goal-check-in-reminder",
    "agent": _AGENT,
    "note": "The first chapter",
    "recurrence": {"cron": "30 8 * * 1-5", "zone": "Europe/Berlin", "missed": "skip"},
}
JOB: dict[str, Any] = {
    "id": "01a2297b-5c11-7f3e-9a2d-3d0f3d8e1b57",
    "skill_id": "goal-check-in-reminder",
    "version": "1.0.0",
    "agent": _AGENT,
    "conversation": _CONVERSATION,
    "grants": [_GRANT],
    "note": "The first chapter",
    "status": "scheduled",
    "scheduled_at": "2026-12-01T07:30:00Z",
    "next_attempt_at": "2026-12-01T07:30:00Z",
    "attempts": 0,
    "max_attempts": 3,
    "error_code": "",
    "error_message": "",
    "recurrence": None,
    "created_at": "2026-11-29T22:43:24.775289Z",
    "finished_at": None,
}
PLANNED_JOB: dict[str, Any] = {
    **JOB,
    "recurrence": {
        "series": _SERIES,
        "cron": "30 8 * * 1-5",
        "zone": "Europe/Berlin",
        "missed": "skip",
    },
}
FAILED_JOB: dict[str, Any] = {
    **JOB,
    "status": "failed",
    "next_attempt_at": None,
    "error_code": "permission_missing",
    "error_message": (
        "The permission is missing: Send proactive reminders (proactive_message:write). "
        "Grant it under /skills/."
    ),
    "finished_at": "2026-12-01T07:30:00.500000Z",
}
CANCEL: dict[str, Any] = {}
CANCEL_SERIES: dict[str, Any] = {"whole_series": True}
CANCELLED_JOB: dict[str, Any] = {
    **JOB,
    "status": "cancelled",
    "next_attempt_at": None,
    "finished_at": "2026-11-30T07:30:00.500000Z",
}

SESSION: dict[str, Any] = {
    "id": "01a22d1b-9e80-7e28-8c38-7763627fd522",
    "skill_id": "meeting-notes",
    "version": "1.0.0",
    "name": "Meeting notes",
    "state": "active",
    "step": "attendees",
    "agent": _AGENT,
    "conversation": _CONVERSATION,
    "message": "01a22d1b-9e7a-7c11-8d2a-90b1f3a2c455",
    "tool_call": None,
    "created_at": "2026-11-30T15:21:24.775289Z",
    "updated_at": "2026-11-30T15:22:01.113204Z",
    "expires_at": "2026-12-03T15:22:01.113204Z",
    "finished_at": None,
}
SESSION_DETAIL: dict[str, Any] = {
    **SESSION,
    "steps": [
        {
            "name": "title",
            "label": "Title",
            "question": "What is the meeting called?",
            "kind": "text",
            "optional": False,
            "state": "answered",
            "answer": "Budget 2027",
            "text": "Budget 2027",
        },
        {
            "name": "attendees",
            "label": "Attendees",
            "question": "Who was there? Names with commas between, or one on each line.",
            "kind": "list",
            "optional": False,
            "state": "asked",
            "answer": None,
            "text": "",
        },
    ],
}

EVALUATION: dict[str, Any] = {
    "skill_id": "memory-recall",
    "version": "1.0.0",
    "state": "passed",
    "case_count": 25,
    "evaluation": {
        "version": "1.0.0",
        "case_count": 25,
        "passed_count": 25,
        "regression_count": 0,
        "failed": [],
        "evaluated_at": "2026-11-30T08:00:00.250000Z",
    },
}
EVALUATION_WORSE: dict[str, Any] = {
    **EVALUATION,
    "state": "failed",
    "evaluation": {
        **EVALUATION["evaluation"],
        "passed_count": 24,
        "regression_count": 1,
        "failed": [
            {
                "case": "ordinary question",
                "problem": "expected none: no_match, got memory-recall",
                "regression": True,
            }
        ],
    },
}
NEVER_EVALUATED: dict[str, Any] = {**EVALUATION, "state": "never", "evaluation": None}
_GRANT_LEAVE: dict[str, Any] = {
    "kind": "permission_grant",
    "id": _GRANT,
    "expires_at": None,
    "uses_left": None,
}
_GRANT_REASON: dict[str, Any] = {
    "gate": "grant",
    "outcome": "allow",
    "reason_code": "granted",
    "reason": "You have granted memory:read.",
    "leaves": [_GRANT_LEAVE],
    "leave": _GRANT_LEAVE,
}
POLICY_ALLOWED: dict[str, Any] = {
    "kind": "tool",
    "id": "memory_search",
    "name": "Memories",
    "use": "",
    "permissions": ["memory:read"],
    "risk": "L1",
    "decision": {
        **_GRANT_REASON,
        "reasons": [
            {
                "gate": "enabled",
                "outcome": "allow",
                "reason_code": "enabled",
                "reason": "The tool is switched on.",
            },
            _GRANT_REASON,
        ],
    },
}
_MISSING_REASON: dict[str, Any] = {
    "gate": "grant",
    "outcome": "deny",
    "reason_code": "permission_missing",
    "reason": SKILL_NOT_PERMITTED["decision"]["reason"],
    "missing": ["memory:read"],
}
POLICY_DENIED: dict[str, Any] = {
    **POLICY_ALLOWED,
    "kind": "skill",
    "id": "memory-recall",
    "name": "Memory recall",
    "decision": {**_MISSING_REASON, "reasons": [_MISSING_REASON]},
}
