"""Any one sealed row, touched in any way by somebody who owns the database: it is named."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skills import sealer
from skills.hashing import HASHED_FIELDS, hash_event
from skills.models import AuditEvent, AuditSeal
from skills.seals import digest_of, pack_entries, unpack_entries
from skills.verify import Kind, Problem, verify_audit
from tests.skills.audit import record, seal_all, triggers_lifted

pytestmark = [pytest.mark.both, pytest.mark.django_db]

EVENTS, SEAL_SIZE = 11, 4
TABLE = AuditEvent._meta.db_table
positions = st.integers(0, EVENTS - 1)
# What each column could be changed to; none is what an event here has.
CHANGES: dict[str, Any] = {
    "event_id": "018f3b5e00007000800000000000feed",
    "recorded_at": "2001-02-03 04:05:06+00:00",
    "action": "tool.call.denied",
    "outcome": "denied",
    "subject": "018f3b5e00007000800000000000feed",
    "actor": "operator",
    "agent_id": "018f3b5e00007000800000000000feed",
    "conversation_id": "018f3b5e00007000800000000000feed",
    "run_id": "018f3b5e00007000800000000000feed",
    "origin": "chat",
    "skill": "memory-recall",
    "skill_version": "1.0.0",
    "tool": "fetch",
    "scope": "agent",
    "target_type": "page",
    "target_id": "7",
    "reason_code": "forged",
    "metadata": '{"forged": true}',
}


@pytest.fixture
def events(db: None, monkeypatch: pytest.MonkeyPatch) -> list[AuditEvent]:
    """Under three seals, the last of them shorter."""
    monkeypatch.setattr(sealer, "BATCH", SEAL_SIZE)
    made = [record(reason_code=f"event_{n}", metadata={"n": n}) for n in range(EVENTS)]
    seal_all()
    return made


@contextmanager
def undone() -> Iterator[None]:
    """Each example starts from the same rows."""
    with transaction.atomic():
        with triggers_lifted():
            yield
        transaction.set_rollback(True)


def run(sql: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        assert cursor.rowcount == 1


def problems_of(head: str = "") -> list[Problem]:
    """But for the triggers: they are lifted still."""
    problems = verify_audit(head).problems
    return [problem for problem in problems if problem.kind is not Kind.TRIGGER]


def found(head: str = "") -> list[tuple[Kind, int | None]]:
    return [(problem.kind, problem.event) for problem in problems_of(head)]


def rehash(event_id: int) -> None:
    row_hash = hash_event(AuditEvent.objects.get(pk=event_id))
    run(f"UPDATE {TABLE} SET row_hash = %s WHERE id = %s", row_hash, event_id)


def quietly(test: Callable[..., None]) -> Callable[..., None]:
    """The rows are the same for each example: `undone` sees to that."""
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
    return settings(max_examples=25, deadline=None, suppress_health_check=checks)(test)


def test_every_field_is_covered() -> None:
    assert set(CHANGES) == set(HASHED_FIELDS)


@quietly
@given(position=positions, column=st.sampled_from(sorted(CHANGES)), new_hash=st.booleans())
def test_any_edit_of_any_row_is_named(
    events: list[AuditEvent], position: int, column: str, new_hash: bool
) -> None:
    """With a hash that was made to fit, too."""
    event = events[position]
    with undone():
        run(f"UPDATE {TABLE} SET {column} = %s WHERE id = %s", CHANGES[column], event.pk)
        if new_hash:
            rehash(event.pk)
        assert found() == [(Kind.EDITED, event.pk)]
    assert found() == []


@quietly
@given(position=positions)
def test_any_deleted_row_is_named(events: list[AuditEvent], position: int) -> None:
    with undone():
        run(f"DELETE FROM {TABLE} WHERE id = %s", events[position].pk)
        assert found() == [(Kind.DELETED, events[position].pk)]


@quietly
@given(one=positions, other=positions)
def test_any_two_rows_that_changed_places_are_named(
    events: list[AuditEvent], one: int, other: int
) -> None:
    """Under one seal as reordered, under two as what does not belong there."""
    first, second = sorted((events[one].pk, events[other].pk))
    if first == second:
        return
    with undone():
        for old, new in ((first, -1), (second, first), (-1, second)):
            run(f"UPDATE {TABLE} SET id = %s WHERE id = %s", new, old)
        problems = found()
        assert {event for _kind, event in problems} == {first, second}
        same_seal = one // SEAL_SIZE == other // SEAL_SIZE
        kind = Kind.REORDERED if same_seal else Kind.EDITED
        assert {one_kind for one_kind, _event in problems} == {kind}


@quietly
@given(position=positions, before=st.booleans())
def test_any_inserted_row_is_named(events: list[AuditEvent], position: int, before: bool) -> None:
    """In the place of one that was moved on, or before all of them."""
    gap = 0 if before else events[position].pk
    with undone():
        if not before:
            run(f"DELETE FROM {TABLE} WHERE id = %s", gap)
        forged = AuditEvent(
            pk=gap,
            action="forged",
            outcome="succeeded",
            actor="system",
            recorded_at=events[0].recorded_at,
        )
        forged.row_hash = hash_event(forged)
        AuditEvent.objects.bulk_create([forged])
        assert found() == [(Kind.INSERTED if before else Kind.EDITED, gap)]


@quietly
@given(kept=st.integers(0, EVENTS - 1), kept_seals=st.integers(0, 2))
def test_any_cut_of_the_end_is_found(events: list[AuditEvent], kept: int, kept_seals: int) -> None:
    """With its seals it shows against a head kept outside; without them by itself."""
    head = verify_audit().head
    with undone(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM skills_auditseal WHERE n > %s", [kept_seals])
        sealed = min(kept_seals * SEAL_SIZE, EVENTS)
        cut = min(kept, sealed)
        cursor.execute(f"DELETE FROM {TABLE} WHERE id >= %s", [events[cut].pk])
        assert (Kind.HEAD, None) in found(head)
        lost = [event.pk for event in events[cut:sealed]]
        assert found() == [(Kind.DELETED, key) for key in lost]


@quietly
@given(position=positions)
def test_an_edit_with_row_entries_and_digest_made_to_fit_is_found(
    events: list[AuditEvent], position: int
) -> None:
    """All that can be done without the key."""
    event = events[position]
    number = position // SEAL_SIZE + 1
    with undone():
        run(f"UPDATE {TABLE} SET outcome = 'denied' WHERE id = %s", event.pk)
        rehash(event.pk)
        seal = AuditSeal.objects.get(n=number)
        hashes = dict(AuditEvent.objects.values_list("id", "row_hash"))
        entries = [(key, hashes[key]) for key, _hash in unpack_entries(bytes(seal.entries))]
        packed = pack_entries(entries)
        run(
            "UPDATE skills_auditseal SET entries = %s, ids_digest = %s WHERE n = %s",
            packed,
            digest_of(packed),
            number,
        )
        (problem,) = problems_of()
        assert (problem.kind, problem.seal) == (Kind.SEAL, number)
