"""Verifying and exporting the audit in the console."""

import json
import warnings
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import AsyncClient, Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.audit import Outcome
from config.base.models import User
from skills import export
from skills.console import pages
from skills.models import AuditEvent, AuditSeal
from tests.factories import UserFactory
from tests.skills.audit import record, record_many, run_sql, seal_all, triggers_lifted

pytestmark = [pytest.mark.both, pytest.mark.django_db]

EVENTS = "admin:skills_auditevent_changelist"
VERIFY = "admin:skills_auditevent_verify_page"
EXPORT = "admin:skills_auditevent_export_page"


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def text_of(response: Any) -> str:
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


# --- Verifying ---


def test_a_sound_audit_is_verified_and_that_is_an_event(console: Client, operator: User) -> None:
    record_many(3)
    (seal,) = seal_all()
    sealed = AuditEvent.objects.count()
    assert "Not verified from this console yet." in text_of(console.get(reverse(EVENTS)))
    page = text_of(console.post(reverse(VERIFY), {"head": ""}))
    assert "as it was recorded" in page
    assert seal.head in page
    event = AuditEvent.objects.get(action="audit.verified")
    assert (event.outcome, event.origin) == ("succeeded", "admin")
    assert (event.metadata["events"], event.metadata["problems"]) == (sealed, 0)
    assert f"{sealed} events under 1 seals, 0 problems" in text_of(console.get(reverse(EVENTS)))


def test_tampering_is_shown_and_recorded(console: Client) -> None:
    events = record_many(3)
    seal_all()
    with triggers_lifted():
        run_sql("UPDATE skills_auditevent SET action = 'x' WHERE id = %s", [events[1].pk])
    page = text_of(console.post(reverse(VERIFY), {"head": ""}))
    assert f"event {events[1].pk} (seal 1) was edited" in page
    event = AuditEvent.objects.get(action="audit.verified")
    assert (event.outcome, event.reason_code) == ("failed", "edited")
    assert "problems found" in text_of(console.get(reverse(EVENTS)))
    attention = console.get(reverse("admin:index")).context["attention"]
    assert ("danger", reverse(VERIFY)) in [(item.level, item.link) for item in attention]


def test_a_head_from_outside_shows_that_the_end_was_cut(console: Client) -> None:
    record_many(1)
    seal_all()
    page = text_of(console.post(reverse(VERIFY), {"head": "7:abc"}))
    assert "the end was cut" in page


def test_what_is_no_head_is_refused_and_nothing_is_recorded(console: Client) -> None:
    page = console.post(reverse(VERIFY), {"head": "seven"})
    assert "COUNT:SEAL" in str(page.context["form"].errors["head"])
    assert not AuditEvent.objects.filter(action="audit.verified").exists()


def test_looking_at_the_page_verifies_nothing(console: Client) -> None:
    assert "Verify now" in text_of(console.get(reverse(VERIFY)))
    assert not AuditEvent.objects.filter(action="audit.verified").exists()


def test_more_than_a_page_can_do_is_left_to_the_command(
    console: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_many(2)
    monkeypatch.setattr(pages, "VERIFIED_AT_ONCE", 1)
    assert "manage.py verify_audit" in text_of(console.post(reverse(VERIFY), {"head": ""}))
    assert not AuditEvent.objects.filter(action="audit.verified").exists()


# --- Exporting ---


def pieces_of(console: Client, asked: dict[str, Any], address: str = "") -> tuple[Any, list[bytes]]:
    """As the product serves it: from ASGI, in this thread's database."""
    client = AsyncClient()
    client.cookies = console.cookies

    async def ask() -> tuple[Any, list[bytes]]:
        response: Any = await client.post(address or reverse(EXPORT), asked)
        return response, [piece async for piece in response.streaming_content]

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of an iterator that would be gathered whole
        return async_to_sync(ask)()


def exported(console: Client, **asked: Any) -> list[dict[str, Any]]:
    response, pieces = pieces_of(console, asked)
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/x-ndjson")
    assert response.headers["Content-Disposition"].startswith('attachment; filename="audit-')
    assert "no-store" in response.headers["Cache-Control"]
    text = b"".join(pieces).decode()
    return [json.loads(line) for line in text.splitlines()]


def actions(lines: list[dict[str, Any]]) -> list[str]:
    return [line["event"]["action"] for line in lines if "event" in line]


def test_all_of_it_is_exported_with_seals_and_head(console: Client) -> None:
    record_many(2)
    seal_all()
    lines = exported(console)
    assert [next(iter(line)) for line in lines][-3:] == ["event", "seal", "head"]
    assert len(actions(lines)) == AuditEvent.objects.count()
    assert lines[-1]["head"] == AuditSeal.objects.get().head
    assert actions(lines)[-1] == "audit.exported"


def test_it_leaves_in_pieces(console: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PIECE", 2)
    record_many(5)
    _response, pieces = pieces_of(console, {})
    assert len(pieces) > 2
    assert {piece.count(b"\n") for piece in pieces[:-1]} == {2}


def test_who_takes_it_along_is_recorded_with_what_was_asked_for(
    console: Client, operator: User, alice: User
) -> None:
    record(actor=Actor(user=alice, origin=Origin.API))
    exported(console, outcome="succeeded", user="alice", since="2026-01-01T00:00")
    event = AuditEvent.objects.get(action="audit.exported")
    assert event.origin == "admin"
    assert event.metadata["outcome"] == "succeeded"
    assert event.metadata["since"].startswith("2026-01-01")
    assert "alice" not in json.dumps(event.metadata)


def test_a_part_is_exported(console: Client, alice: User, bob: User) -> None:
    record("one", actor=Actor(user=alice, origin=Origin.API))
    record("two", actor=Actor(user=bob, origin=Origin.API), outcome=Outcome.DENIED)
    record("three", outcome=Outcome.DENIED)
    later = (timezone.now() + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M")
    assert actions(exported(console, user="alice")) == ["one"]
    assert actions(exported(console, outcome="denied")) == ["two", "three"]
    assert actions(exported(console, action="two")) == ["two"]
    for said in ("allow", "needs_confirmation"):
        record("policy.decided", outcome=Outcome.ALLOWED, metadata={"decision": said})
    [waiting, *_seals] = exported(console, decision="needs_confirmation")
    assert waiting["event"]["metadata"]["decision"] == "needs_confirmation"
    assert actions(exported(console, actor="system", outcome="denied")) == ["three"]
    assert actions(exported(console, since=later)) == []
    assert "one" in actions(exported(console, until=later))


@pytest.mark.parametrize(
    "asked", [{"since": "soon"}, {"outcome": "maybe"}, {"user": "nobody"}, {"actor": "robot"}]
)
def test_what_makes_no_sense_exports_nothing(console: Client, asked: dict[str, str]) -> None:
    page = console.post(reverse(EXPORT), asked)
    assert set(page.context["form"].errors) == set(asked)
    assert not AuditEvent.objects.filter(action="audit.exported").exists()


@pytest.mark.parametrize("name", [VERIFY, EXPORT])
def test_only_who_may_see_the_audit_may_do_it(client: Client, alice: User, name: str) -> None:
    client.force_login(alice)
    assert client.post(reverse(name)).status_code == 302
    staff = UserFactory.create(is_staff=True)
    client.force_login(staff)
    assert client.post(reverse(name)).status_code == 403
    assert not AuditEvent.objects.filter(action__startswith="audit.").exists()
    staff.user_permissions.add(Permission.objects.get(codename="view_auditevent"))
    client.force_login(User.objects.get(pk=staff.pk))
    assert client.get(reverse(name)).status_code == 200


# --- Filters ---


def found(console: Client, **query: str) -> set[str]:
    response = console.get(reverse(EVENTS), query)
    assert response.status_code == 200
    shown = {event.action for event in response.context["cl"].result_list}
    return shown - {"auth.signed_in"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"user": "alice"}, {"one"}),
        ({"user": "nobody"}, set()),
        ({"tool": "fetch"}, {"one"}),
        ({"actor__exact": "system"}, {"two"}),
        ({"since": "2026-01-01T00:00"}, {"one", "two"}),
        ({"until": "2026-01-01T00:00"}, set()),
        ({"action": "two"}, {"two"}),
        ({"action": "never.seen"}, set()),
    ],
)
def test_the_list_is_narrowed(
    console: Client, alice: User, query: dict[str, str], expected: set[str]
) -> None:
    record("one", actor=Actor(user=alice, origin=Origin.API), tool="fetch")
    record("two")
    assert found(console, **query) == expected


def test_the_list_counts_no_more_than_it_must(console: Client) -> None:
    record_many(3)
    console.get(reverse(EVENTS))
    with CaptureQueriesContext(connection) as queries:
        found(console, outcome__exact="succeeded")
    counts = [query["sql"] for query in queries if query["sql"].startswith("SELECT COUNT(")]
    assert counts
    assert all("LIMIT 10000" in sql for sql in counts if "skills_auditevent" in sql)
    assert len(queries) <= 10


def test_a_search_of_very_many_words_is_answered(console: Client) -> None:
    words = "word " * 3000
    assert console.get("/admin/skills/auditevent/", {"q": words}).status_code == 200
