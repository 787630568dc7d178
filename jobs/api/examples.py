"""Examples of the documentation; a test holds each of them against its schema."""

from typing import Any

_SERIES = "01a2297c-7a04-7d60-8ad6-67f1d3a3f3c5"
_BOB = "01a22979-fcd2-7a84-a766-abafc05f2dda"

NEW_JOB: dict[str, Any] = {
    "kind": "housekeeping.jobs",
    "payload": {},
    "scheduled_at": "2026-12-01T08:30:00+01:00",
}
NEW_SERIES: dict[str, Any] = {
    "kind": "housekeeping.jobs",
    "payload": {},
    "recurrence": {"cron": "30 8 * * 1-5", "zone": "Europe/Berlin", "missed": "skip"},
}
JOB: dict[str, Any] = {
    "id": "01a2297b-5c11-7f3e-9a2d-3d0f3d8e1b57",
    "kind": "housekeeping.jobs",
    "owner": "bob",
    "owner_id": _BOB,
    "status": "scheduled",
    "payload": {},
    "result": None,
    "priority": 0,
    "scheduled_at": "2026-12-01T07:30:00Z",
    "next_attempt_at": "2026-12-01T07:30:00Z",
    "attempts": 0,
    "max_attempts": 3,
    "error_code": "",
    "error_message": "",
    "idempotency_key": "",
    "series": None,
    "planned_at": None,
    "created_at": "2026-11-29T22:43:24.775289Z",
    "started_at": None,
    "finished_at": None,
}
FAILED_JOB: dict[str, Any] = {
    **JOB,
    "status": "failed",
    "next_attempt_at": None,
    "attempts": 3,
    "error_code": "worker_lost",
    "error_message": "The worker died, or the job took longer than it may.",
    "started_at": "2026-12-01T07:45:00.250000Z",
    "finished_at": "2026-12-01T07:47:00.500000Z",
}
PLANNED_JOB: dict[str, Any] = {**JOB, "series": _SERIES, "planned_at": JOB["scheduled_at"]}
ATTEMPT: dict[str, Any] = {
    "number": 1,
    "outcome": "failed",
    "started_at": "2026-12-01T07:30:00.250000Z",
    "finished_at": "2026-12-01T07:30:01.500000Z",
    "duration_ms": 1250,
    "worker": None,
    "error_code": "handler_failed",
    "error_message": "ConnectionError",
}
ATTEMPT_UNDER_WAY: dict[str, Any] = {
    **ATTEMPT,
    "number": 2,
    "outcome": "running",
    "finished_at": None,
    "duration_ms": None,
    "worker": "host:4711:5c2f31aa",
    "error_code": "",
    "error_message": "",
}
KIND: dict[str, Any] = {
    "kind": "housekeeping.jobs",
    "description": "Throws away jobs that ended long ago.",
    "version": 1,
    "create_by": "operators",
    "may_create": True,
    "payload_schema": {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    },
    "max_attempts": 3,
    "hard_limit_seconds": 120.0,
    "paused_at": None,
    "paused_by": None,
}
PAUSED_KIND: dict[str, Any] = {
    **KIND,
    "paused_at": "2026-11-29T22:43:24.775289Z",
    "paused_by": "operator",
}
GONE_KIND: dict[str, Any] = {
    **PAUSED_KIND,
    "kind": "reports.weekly",
    "description": "",
    "version": None,
    "create_by": "nobody",
    "may_create": False,
    "payload_schema": None,
    "max_attempts": None,
    "hard_limit_seconds": None,
}
SERIES: dict[str, Any] = {
    "id": _SERIES,
    "kind": "housekeeping.jobs",
    "owner": "bob",
    "owner_id": _BOB,
    "payload": {},
    "priority": 0,
    "cron": "30 8 * * 1-5",
    "zone": "Europe/Berlin",
    "missed_policy": "skip",
    "created_at": "2026-11-29T22:43:24.775289Z",
    "paused_at": None,
    "ended_at": None,
}
SERIES_WHOLE: dict[str, Any] = {
    **SERIES,
    "next_slots": [
        {"at": "2026-11-30T07:30:00Z", "local": "2026-11-30T08:30:00+01:00", "note": ""},
        {"at": "2026-12-01T07:30:00Z", "local": "2026-12-01T08:30:00+01:00", "note": ""},
    ],
    "missed": [
        {
            "first_planned_at": "2026-11-26T07:30:00Z",
            "last_planned_at": "2026-11-27T07:30:00Z",
            "count": 2,
            "is_more": False,
            "noticed_at": "2026-11-29T22:43:24.775289Z",
        }
    ],
}
