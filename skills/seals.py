"""How a seal is made and judged; the arithmetic only, no database.

Seal n holds, for each event after those of seal n - 1, its id and row hash (so that verification
can name the row that was touched), a digest over these, and an HMAC over its own fields and the
HMAC of seal n - 1. Without the key nobody can make a seal that fits, nor take one out.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from skills.hashing import keyed_digest
from skills.models import AuditSeal

type Entry = tuple[int, str]  # id and row hash (hexadecimal) of one event

_ID_BYTES, _HASH_BYTES = 8, 32
_ENTRY_BYTES = _ID_BYTES + _HASH_BYTES
_SIGNED_FIELDS = (
    "n",
    "first_event",
    "last_event",
    "event_count",
    "dropped_through",
    "ids_digest",
    "previous",
    "sealed_at",
)


def pack_entries(entries: Iterable[Entry]) -> bytes:
    return b"".join(
        event_id.to_bytes(_ID_BYTES, signed=True)
        + bytes.fromhex(row_hash).ljust(_HASH_BYTES, b"\0")
        for event_id, row_hash in entries
    )


def unpack_entries(packed: bytes) -> Iterator[Entry]:
    for start in range(0, len(packed) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
        middle = start + _ID_BYTES
        event_id = int.from_bytes(packed[start:middle], signed=True)
        yield event_id, packed[middle : middle + _HASH_BYTES].hex()


def digest_of(packed: bytes) -> str:
    return hashlib.sha256(packed).hexdigest()


def sign(seal: AuditSeal) -> str:
    return keyed_digest({name: getattr(seal, name) for name in _SIGNED_FIELDS})


def make_seal(
    previous: AuditSeal | None,
    entries: Sequence[Entry],
    *,
    now: datetime,
    dropped_through: int | None = None,
) -> AuditSeal:
    """The next seal, signed, not saved; one without entries ends where `previous` ended."""
    end = previous.last_event if previous else 0
    packed = pack_entries(entries)
    seal = AuditSeal(
        n=previous.n + 1 if previous else 1,
        first_event=entries[0][0] if entries else end,
        last_event=entries[-1][0] if entries else end,
        event_count=len(entries),
        dropped_through=dropped_through,
        entries=packed,
        ids_digest=digest_of(packed),
        previous=previous.hmac if previous else "",
        sealed_at=now,
    )
    seal.hmac = sign(seal)
    return seal


def is_genuine(seal: AuditSeal) -> bool:
    """Made with our key, and still what was made."""
    return hmac.compare_digest(seal.hmac, sign(seal)) and seal.ids_digest == digest_of(
        bytes(seal.entries)
    )
