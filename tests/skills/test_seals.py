"""The chain's arithmetic, without a database."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from skills.models import AuditSeal
from skills.seals import is_genuine, make_seal, pack_entries, unpack_entries
from tests.skills.audit import NOW

ENTRIES = [(1, "0a" * 32), (2, "0b" * 32), (9, "0c" * 32)]


def a_chain() -> list[AuditSeal]:
    first = make_seal(None, ENTRIES, now=NOW)
    return [first, make_seal(first, [(10, "0d" * 32)], now=NOW)]


def test_a_seal_continues_the_one_before() -> None:
    first, second = a_chain()
    assert (first.n, first.first_event, first.last_event, first.event_count) == (1, 1, 9, 3)
    assert first.previous == ""
    assert (second.n, second.previous) == (2, first.hmac)
    assert is_genuine(first)
    assert is_genuine(second)


def test_a_seal_without_events_ends_where_the_one_before_ended() -> None:
    first, _ = a_chain()
    empty = make_seal(first, [], now=NOW, dropped_through=1)
    assert (empty.first_event, empty.last_event, empty.event_count) == (9, 9, 0)
    assert is_genuine(empty)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 7),
        ("first_event", 2),
        ("last_event", 10),
        ("event_count", 4),
        ("dropped_through", 1),
        ("ids_digest", "f" * 64),
        ("previous", "f" * 64),
        ("hmac", "f" * 64),
        ("sealed_at", NOW + timedelta(microseconds=1)),
        ("entries", pack_entries(ENTRIES[:2])),
        ("entries", pack_entries([ENTRIES[1], ENTRIES[0], ENTRIES[2]])),
        ("entries", pack_entries([*ENTRIES[:2], (9, "0e" * 32)])),
    ],
)
def test_a_changed_seal_is_not_genuine(name: str, value: Any) -> None:
    seal, _ = a_chain()
    setattr(seal, name, value)
    assert not is_genuine(seal)


def test_another_key_makes_other_seals(settings: Settings) -> None:
    seal, _ = a_chain()
    settings.AUDIT_KEY = "another key"
    assert not is_genuine(seal)
    assert a_chain()[0].hmac != seal.hmac


def test_what_was_packed_is_unpacked() -> None:
    assert list(unpack_entries(pack_entries(ENTRIES))) == ENTRIES
    assert list(unpack_entries(b"")) == []
