"""Examples of memories for the documentation; a test holds each of them against its schema."""

from typing import Any

MEMORY: dict[str, Any] = {
    "id": "01a2297a-4b1c-7d3e-8f60-2a9d5c7e1b34",
    "text": "Prefers green tea to coffee.",
    "subject": "",
    "importance": 3,
    "layer": "long_term",
    "visibility": "private",
    "status": "active",
    "agent": "guide",
    "project": None,
    "provenance": ["own"],
    "conversation_id": "01a2297a-3036-7196-b270-b45bded16638",
    "source_message_id": "01a2297a-3040-7cfd-a543-90b6b483c763",
    "superseded_by": None,
    "revision": 1,
    "last_used_at": None,
    "created_at": "2026-11-29T22:43:24.174000Z",
    "updated_at": "2026-11-29T22:43:24.174000Z",
    "why": {"words": ["tea"], "meaning": None, "score": 1.02},
}
NEW = {"text": "Wants dates with the weekday.", "importance": 4, "agent": "guide"}
CHANGED = {"text": "Prefers green tea to coffee, without sugar."}
SHOWN = {"visibility": "company", "project": "demo"}
_LINE = {
    "text": "Prefers green tea to coffee.",
    "subject": "",
    "importance": 3,
    "layer": "long_term",
    "agent": "guide",
    "status": "active",
    "visibility": "private",
    "provenance": ["own"],
    "created_at": "2026-11-29T22:43:24.174000+00:00",
}
EXPORTED = {
    "format": "gatehouse.memories",
    "version": 1,
    "exported_at": "2026-11-30T08:00:00Z",
    "memories": [_LINE],
    "signature": "fH3mK2vT8sWq0cXyZ1a9bLr5nJ7dGpE4uVhRtQo6iYk",
}
IMPORTED = {"memories": [{"text": "Prefers green tea to coffee.", "importance": 4}]}
ADDED = {"added": 2, "skipped": 0}
