"""Somebody owns the database, lifts the triggers and tampers; what `verify_audit` then says."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from skills import sealer
from skills.hashing import hash_event
from skills.models import AuditEvent, AuditSeal
from skills.seals import digest_of, make_seal, pack_entries, sign, unpack_entries
from skills.triggers import drop_triggers
from skills.verify import KEPT_PROBLEMS, Kind, verify_audit
from tests.skills.audit import NOW, record, record_many, run_sql, seal_all, triggers_lifted

pytestmark = [pytest.mark.both, pytest.mark.django_db]


@pytest.fixture
def events(db: None, monkeypatch: pytest.MonkeyPatch) -> list[AuditEvent]:
    """Twelve of them under three seals; between the first two and the rest an id is free."""
    monkeypatch.setattr(sealer, "BATCH", 4)
    first = record_many(2)
    run_sql_lifted("DELETE FROM skills_auditevent WHERE id = %s", record("rolled.back").pk)
    rest = record_many(10)
    seal_all()
    return first + rest


def run_sql_lifted(sql: str, *parameters: object) -> None:
    with triggers_lifted():
        assert run_sql(sql, parameters)


def found(head: str = "") -> list[tuple[Kind, int | None]]:
    return [
        (problem.kind, problem.event or problem.seal) for problem in verify_audit(head).problems
    ]


def edit(event: AuditEvent, *, new_hash: bool) -> None:
    event.outcome = "denied"
    row_hash = hash_event(event) if new_hash else event.row_hash
    run_sql_lifted(
        "UPDATE skills_auditevent SET outcome = 'denied', row_hash = %s WHERE id = %s",
        row_hash,
        event.pk,
    )


def insert_copy(event: AuditEvent, event_id: int) -> None:
    columns = [field.attname for field in AuditEvent._meta.concrete_fields]
    other = {"id": "%s", "event_id": "%s"}
    values = ", ".join(other.get(column, column) for column in columns)
    copy = AuditEvent(reason_code="forged")
    given = copy.event_id if connection.vendor == "postgresql" else copy.event_id.hex
    run_sql_lifted(
        f"INSERT INTO skills_auditevent ({', '.join(columns)})"
        f" SELECT {values} FROM skills_auditevent WHERE id = %s",
        event_id,
        given,
        event.pk,
    )


def move(event: AuditEvent, event_id: int) -> None:
    run_sql_lifted("UPDATE skills_auditevent SET id = %s WHERE id = %s", event_id, event.pk)


def test_an_honest_audit_has_no_problems(events: list[AuditEvent]) -> None:
    report = verify_audit()
    assert report.problems == []
    assert (report.events, report.seals, report.unsealed) == (12, 3, 0)
    assert report.head == AuditSeal.objects.latest("n").head


def test_an_empty_audit_has_no_problems() -> None:
    report = verify_audit()
    assert (report.problems, report.head) == ([], "0:")
    assert verify_audit(report.head).problems == []


@pytest.mark.parametrize("position", range(12))
@pytest.mark.parametrize("new_hash", [False, True])
def test_it_names_an_edited_event(events: list[AuditEvent], position: int, new_hash: bool) -> None:
    edit(events[position], new_hash=new_hash)
    assert found() == [(Kind.EDITED, events[position].pk)]


@pytest.mark.parametrize(
    "change",
    [
        "reason_code = 'x'",
        "recorded_at = '2001-01-01 00:00:00+00:00'",
        "metadata = '{\"a\": 1}'",
        "row_hash = ''",
        "subject = NULL, actor = 'user'",
        "tool = 'fetch'",
    ],
)
def test_it_notices_any_field(events: list[AuditEvent], change: str) -> None:
    run_sql_lifted(f"UPDATE skills_auditevent SET {change} WHERE id = %s", events[5].pk)
    assert found() == [(Kind.EDITED, events[5].pk)]


@pytest.mark.parametrize("position", range(12))
def test_it_names_a_deleted_event(events: list[AuditEvent], position: int) -> None:
    run_sql_lifted("DELETE FROM skills_auditevent WHERE id = %s", events[position].pk)
    assert found() == [(Kind.DELETED, events[position].pk)]


def test_it_names_each_deleted_event_when_all_are_gone(events: list[AuditEvent]) -> None:
    run_sql_lifted("DELETE FROM skills_auditevent")
    assert found() == [(Kind.DELETED, event.pk) for event in events]


@pytest.mark.parametrize("place", ["free id", "before all", "far before all"])
def test_it_names_an_inserted_event(events: list[AuditEvent], place: str) -> None:
    free = {"free id": events[1].pk + 1, "before all": 0, "far before all": -7}[place]
    insert_copy(events[4], free)
    assert verify_audit().problems[0].event in {free, None}
    assert [kind for kind, _ in found()] == [Kind.INSERTED]


def test_it_names_swapped_events(events: list[AuditEvent]) -> None:
    move(events[5], 999)
    move(events[6], events[5].pk)
    run_sql_lifted("UPDATE skills_auditevent SET id = %s WHERE id = 999", events[6].pk)
    assert found() == [(Kind.REORDERED, events[5].pk), (Kind.REORDERED, events[6].pk)]


def test_it_names_an_event_that_was_moved_to_a_free_id(events: list[AuditEvent]) -> None:
    move(events[3], events[1].pk + 1)
    assert found() == [(Kind.REORDERED, events[1].pk + 1), (Kind.DELETED, events[3].pk)]


def test_it_names_an_event_that_was_moved_under_another_seal(events: list[AuditEvent]) -> None:
    move(events[9], events[1].pk + 1)
    assert found() == [(Kind.INSERTED, events[1].pk + 1), (Kind.DELETED, events[9].pk)]


def test_it_names_the_first_of_many_and_counts_the_rest(events: list[AuditEvent]) -> None:
    record_many(KEPT_PROBLEMS + 5)
    seal_all()
    run_sql_lifted("DELETE FROM skills_auditevent WHERE id > %s", events[0].pk)
    report = verify_audit()
    assert report.problems[0].event == events[1].pk
    assert len(report.problems) == KEPT_PROBLEMS
    assert report.problem_count == 11 + KEPT_PROBLEMS + 5


def test_a_cut_end_shows_against_a_head_kept_outside(events: list[AuditEvent]) -> None:
    head = verify_audit().head
    run_sql_lifted("DELETE FROM skills_auditevent WHERE id >= %s", events[8].pk)
    run_sql_lifted("DELETE FROM skills_auditseal WHERE n = 3")
    assert found() == []  # without the head nothing tells
    assert [kind for kind, _ in found(head)] == [Kind.HEAD]


def test_an_end_that_was_made_anew_shows_against_the_head(events: list[AuditEvent]) -> None:
    head = verify_audit().head
    run_sql_lifted("DELETE FROM skills_auditseal WHERE n = 3")
    edit(events[10], new_hash=True)
    seal_all(NOW.replace(year=2027))
    assert found() == []
    assert [kind for kind, _ in found(head)] == [Kind.HEAD]


def test_a_head_stays_good_while_the_audit_grows(events: list[AuditEvent]) -> None:
    head = verify_audit().head
    record_many(9)
    seal_all()
    assert found(head) == []


SEAL_EDITS = [
    "first_event = first_event + 1",
    "event_count = event_count - 1",
    "sealed_at = '2001-01-01 00:00:00+00:00'",
    "hmac = 'f'",
    "previous = 'f'",
    "ids_digest = 'f'",
    "dropped_through = 2",
]


@pytest.mark.parametrize("change", SEAL_EDITS)
def test_it_names_an_edited_seal(events: list[AuditEvent], change: str) -> None:
    run_sql_lifted(f"UPDATE skills_auditseal SET {change} WHERE n = 2")
    assert (Kind.SEAL, 2) in found()
    assert {kind for kind, _ in found()} == {Kind.SEAL}


def test_it_names_a_deleted_seal(events: list[AuditEvent]) -> None:
    run_sql_lifted("DELETE FROM skills_auditseal WHERE n = 2")
    assert found() == [(Kind.SEAL, 2)]


def test_it_names_a_seal_that_was_deleted_with_its_events(events: list[AuditEvent]) -> None:
    run_sql_lifted("DELETE FROM skills_auditseal WHERE n = 1")
    run_sql_lifted("DELETE FROM skills_auditevent WHERE id <= %s", events[3].pk)
    assert found() == [(Kind.SEAL, 1)]


def replace_seal(n: int, change: Callable[[AuditSeal], object]) -> None:
    """What somebody does who has the seal's format, but not its key."""
    seal = AuditSeal.objects.get(n=n)
    change(seal)
    seal.ids_digest = digest_of(bytes(seal.entries))
    run_sql_lifted("DELETE FROM skills_auditseal WHERE n = %s", n)
    AuditSeal.objects.bulk_create([seal])


def test_a_seal_rewritten_to_fit_the_edit_does_not_pass(events: list[AuditEvent]) -> None:
    edit(events[5], new_hash=True)
    hashes = dict(AuditEvent.objects.values_list("id", "row_hash"))

    def fit(seal: AuditSeal) -> None:
        entries = unpack_entries(bytes(seal.entries))
        seal.entries = pack_entries((event_id, hashes[event_id]) for event_id, _ in entries)

    replace_seal(2, fit)
    assert found() == [(Kind.SEAL, 2)]


def test_a_seal_made_with_another_key_does_not_pass(
    events: list[AuditEvent], settings: Settings
) -> None:
    ours, settings.AUDIT_KEY = settings.AUDIT_KEY, "theirs"
    replace_seal(3, lambda seal: setattr(seal, "hmac", sign(seal)))
    settings.AUDIT_KEY = ours
    assert found() == [(Kind.SEAL, 3)]


def test_a_genuine_seal_taken_from_another_chain_does_not_fit(events: list[AuditEvent]) -> None:
    def forked(seal: AuditSeal) -> None:
        seal.previous = "0" * 64
        seal.hmac = sign(seal)

    replace_seal(2, forked)
    assert found() == [(Kind.SEAL, 2), (Kind.SEAL, 3)]


def test_it_says_when_the_key_is_another(events: list[AuditEvent], settings: Settings) -> None:
    settings.AUDIT_KEY = "replaced"
    assert found()[0] == (Kind.KEY, None)


def test_deleting_is_not_passed_off_as_retention(
    events: list[AuditEvent], settings: Settings
) -> None:
    ours, settings.AUDIT_KEY = settings.AUDIT_KEY, "theirs"
    make_seal(AuditSeal.objects.get(n=3), [], now=NOW, dropped_through=1).save()
    settings.AUDIT_KEY = ours
    run_sql_lifted("DELETE FROM skills_auditevent WHERE id <= %s", events[3].pk)
    assert (Kind.DELETED, events[0].pk) in found()
    assert (Kind.SEAL, 4) in found()


def test_it_reports_the_unsealed_tail(events: list[AuditEvent]) -> None:
    first, _ = record_many(2)
    report = verify_audit()
    assert (report.unsealed, report.unsealed_since) == (2, first.recorded_at)
    assert report.problems == []


def test_it_names_an_edited_event_of_the_tail(events: list[AuditEvent]) -> None:
    event = record()
    edit(event, new_hash=False)
    assert found() == [(Kind.EDITED, event.pk)]


def test_it_names_missing_triggers(events: list[AuditEvent]) -> None:
    drop_triggers(connection)
    assert {kind for kind, _ in found()} == {Kind.TRIGGER}


def run_command(*arguments: str) -> tuple[int, str, str]:
    """Exit code, what it printed, and its complaints."""
    out, complaints = StringIO(), StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=out, stderr=complaints)
    except SystemExit as exit_:
        return int(exit_.code or 0), out.getvalue(), complaints.getvalue()
    return 0, out.getvalue(), complaints.getvalue()


def test_the_command_prints_the_head_and_succeeds(events: list[AuditEvent]) -> None:
    record_many(1)
    code, printed, complaints = run_command()
    assert (code, complaints) == (0, "")
    assert printed.startswith("OK: 12 events under 3 seals")
    assert "1 events not sealed yet" in printed
    assert f"head {AuditSeal.objects.latest('n').head}\n" in printed


def test_the_command_fails_and_names_the_first_problem(events: list[AuditEvent]) -> None:
    edit(events[6], new_hash=True)
    code, printed, complaints = run_command()
    assert (code, complaints) == (1, "")
    assert printed.startswith("BROKEN: 1 problem in 12 events under 3 seals\n")
    assert f"\nedited: event {events[6].pk} (seal 2) was edited" in printed
    assert f"\nhead {AuditSeal.objects.latest('n').head}\n" in printed


def test_the_command_takes_a_head(events: list[AuditEvent]) -> None:
    head = AuditSeal.objects.latest("n").head
    assert run_command("--head", head)[0] == 0
    run_sql_lifted("DELETE FROM skills_auditseal WHERE n = 3")
    assert run_command("--head", head)[0] == 1


@pytest.mark.parametrize("head", ["nonsense", "x:abc", ":abc", "-1:abc"])
def test_the_command_refuses_what_is_no_head(head: str) -> None:
    with pytest.raises(CommandError, match="COUNT:SEAL"):
        call_command("verify_audit", f"--head={head}", stdout=StringIO())
