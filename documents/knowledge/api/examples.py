"""Examples of the documentation; a test holds each of them against its schema."""

SPACE = {
    "id": "01a2297a-2f6c-7877-a042-4dc5f2ee3d77",
    "name": "Handbook",
    "slug": "handbook-f2ee3d77",
    "project": "demo",
    "is_for_newcomers": False,
    "role": "manager",
    "resource_count": 2,
    "created_at": "2026-11-29T22:43:23.116000Z",
}
NEW_SPACE = {"name": "Handbook", "project": "demo"}
MEMBER = {
    "id": "01a2297a-2f6c-7877-a042-4dc5f2ee3d78",
    "username": "bob",
    "role": "reader",
    "created_at": "2026-11-29T22:43:23.116000Z",
}
NEW_MEMBER = {"username": "bob", "role": "reader"}
RESOURCE = {
    "id": "01a2297a-2f6c-7877-a042-4dc5f2ee3d79",
    "space": "01a2297a-2f6c-7877-a042-4dc5f2ee3d77",
    "title": "Pump rules",
    "file_name": "pump_rules.pdf",
    "media_type": "application/pdf",
    "size_bytes": 182_044,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "state": "ready",
    "failure": None,
    "pages": 12,
    "passage_count": 31,
    "created_at": "2026-11-29T22:43:23.116000Z",
    "read_at": "2026-11-29T22:43:25.500000Z",
}
UPLOAD = {"space": SPACE["id"], "title": "Pump rules", "file": "(the file)"}
PASSAGE = {
    "number": 4,
    "page": 3,
    "heading": "",
    "text": "The pump is checked every 90 days.",
    "start": 4_120,
}
FOUND = {
    "status": "COMPLETED",
    "without_meaning": True,
    "results": [
        {
            "resource_id": RESOURCE["id"],
            "title": "Pump rules",
            "space": RESOURCE["space"],
            "passage": 4,
            "page": 3,
            "heading": "",
            "text": "The pump is checked every 90 days.",
            "quote": "The pump is checked every 90 days.",
            "words": ["pump", "checked"],
            "score": 1.2,
            "coverage": 1.0,
            "meaning": None,
            "is_evidence": True,
            "url": f"/knowledge/resources/{RESOURCE['id']}/?passage=4#passage-4",
        }
    ],
}
