"""Examples of the documentation; a test holds each of them against its schema."""

_FACTS = {
    "id": "01a2297a-2f6c-7877-a042-4dc5f2ee3d77",
    "type": "document",
    "title": "Minutes",
    "summary": "We agreed.",
    "tags": ["team"],
    "provenance": ["own"],
    "revision": 2,
    "created_at": "2026-11-29T22:43:23.116000Z",
    "updated_at": "2026-11-29T22:45:01.500000Z",
}
NEW = {"title": "Minutes", "content": "# Minutes\n\nWe agreed.", "tags": ["team"]}
CHANGE = {"content": "We agreed.", "expected_revision": 1}
ITEM = {**_FACTS, "content_length": 10, "snippet": None, "why": None}
FOUND = {**ITEM, "snippet": "We agreed.", "why": {"words": ["agree"], "meaning": None}}
DOCUMENT = {**_FACTS, "content": "We agreed.", "content_length": 10}
TRASHED = {
    "id": "01a2297a-2f6c-7877-a042-4dc5f2ee3d77",
    "type": "document",
    "title": "Minutes",
    "summary": "We agreed.",
    "tags": ["team"],
    "revision": 3,
    "content_length": 10,
    "deleted_at": "2026-11-29T22:50:00.250000Z",
    "expires_at": "2026-12-29T22:50:00.250000Z",
    "agent_id": None,
    "origin": "page",
}
TRASHED_WHOLE = {**TRASHED, "content": "We agreed."}
VERSION = {
    "revision": 2,
    "change": "updated",
    "changed_fields": ["content"],
    "restored_from": None,
    "title": "Minutes",
    "content_length": 10,
    "created_at": "2026-11-29T22:45:01.500000Z",
    "user": "alice",
    "agent_id": None,
    "run_id": None,
    "origin": "api",
}
VERSION_WHOLE = {
    **VERSION,
    "type": "document",
    "summary": "We agreed.",
    "tags": ["team"],
    "provenance": ["own"],
    "content": "We agreed.",
}
SHARE = {
    "id": "01a2297a-41d2-7c33-9d0e-8a51c4b1e9f0",
    "kind": "user",
    "user": "bob",
    "project": None,
    "created_at": "2026-11-29T22:43:23.116000Z",
    "expires_at": None,
    "revoked_at": None,
    "last_used_at": None,
}
SHARE_MADE = {
    **SHARE,
    "kind": "link",
    "user": None,
    "expires_at": "2026-12-06T22:43:23.116000Z",
    "url": "https://gatehouse.example/s/bXlzdGVyeS1vZi10aGUtZ2F0ZS1ob3VzZS1kb29yLTE/",
}
SHARED_ITEM = {
    "id": "01a2297a-2f6c-7877-a042-4dc5f2ee3d77",
    "owner": "alice",
    "type": "document",
    "title": "Minutes",
    "summary": "We agreed.",
    "tags": ["team"],
    "revision": 2,
    "content_length": 10,
    "updated_at": "2026-11-29T22:45:01.500000Z",
    "shares": [{"kind": "project", "project": "demo", "expires_at": None}],
}
SHARED = {**SHARED_ITEM, "content": "We agreed."}
