import hashlib
import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from config.base.actor import Actor, Origin
from config.base.audit import Outcome
from config.base.models import User
from skills.models import AuditEvent, AuditSeal
from skills.seals import pack_entries
from skills.selectors import list_events
from tests.skills.audit import NOW, record, record_many, seal_all

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def export(*arguments: str) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("export_audit", *arguments, stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_it_writes_events_then_seals_then_the_head(alice: User) -> None:
    record_many(2)
    seal_all()
    record(actor=Actor(user=alice, origin=Origin.API), metadata={"text": "中文"})
    lines = export()
    assert [next(iter(line)) for line in lines] == ["event", "event", "event", "seal", "head"]
    assert lines[2]["event"]["metadata"] == {"text": "中文"}
    assert "alice" not in json.dumps(lines)
    assert lines[-1]["head"] == AuditSeal.objects.get().head


def test_what_it_writes_can_be_checked_against_the_seal() -> None:
    record_many(3)
    seal_all()
    *events, seal, _ = export()
    entries = [(line["event"]["id"], line["event"]["row_hash"]) for line in events]
    assert hashlib.sha256(pack_entries(entries)).hexdigest() == seal["seal"]["ids_digest"]
    assert "entries" not in seal["seal"]


def test_it_writes_a_time_range_with_its_seals_only() -> None:
    record_many(2)
    seal_all()
    middle = record("in.between")
    seal_all()
    record_many(1)
    seal_all()
    event, seal, head = export(
        "--since",
        middle.recorded_at.isoformat(),
        "--until",
        (middle.recorded_at + timedelta(microseconds=1)).isoformat(),
    )
    assert event["event"]["action"] == "in.between"
    assert seal["seal"]["n"] == 2
    assert head["head"].startswith("3:")


def test_it_keeps_times_to_the_microsecond() -> None:
    event = record()
    assert export()[0]["event"]["recorded_at"] == event.recorded_at.isoformat()


def test_an_empty_range_is_a_head_alone() -> None:
    record_many(1)
    assert export("--since", "2999-01-01") == [{"head": "0:"}]


def test_it_refuses_what_is_no_time() -> None:
    with pytest.raises(CommandError, match="no ISO 8601 time"):
        export("--since", "yesterday")
    for option, time in (
        ("--since", "0001-01-01T00:00:00+14:00"),
        ("--until", "9999-12-31T23:59:59-14:00"),
        ("--since", "2026-02-30"),
    ):
        with pytest.raises(CommandError, match="no time that the calendar has"):
            export(option, time)


def test_events_are_listed_by_what_is_asked_for(alice: User, bob: User) -> None:
    hers = record("a.b", actor=Actor(user=alice, origin=Origin.API), outcome=Outcome.DENIED)
    his = record("a.c", actor=Actor(user=bob, origin=Origin.API), target=("document", "x"))
    system = record("a.d", metadata={"at": NOW})
    assert list(list_events()) == [system, his, hers]
    assert list(list_events(user=alice)) == [hers]
    assert list(list_events(outcome=Outcome.DENIED)) == [hers]
    assert list(list_events(target_id="x", action="a.c")) == [his]
    assert list(list_events(since=his.recorded_at)) == [system, his]
    assert list(list_events(until=his.recorded_at)) == [hers]


def test_one_without_a_subject_has_no_events() -> None:
    record("by.the.system")
    (user,) = User.objects.bulk_create([User(username="imported")])
    assert not list_events(user=user).exists()
    assert AuditEvent.objects.exists()
