"""The operator's list of audit events: narrowed, searched, charted, exported as it is shown."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.admin_paging import COUNTED
from config.base.admin_periods import period_of
from config.base.audit import Outcome
from config.base.ids import uuid7
from config.base.models import User
from skills.console import denials
from skills.console.filters import EVENT_FILTERS
from skills.console.searching import search
from skills.models import AuditEvent
from skills.subjects import subject_of
from tests.plans import analyze, assert_uses_index
from tests.skills.alerts import refuse
from tests.skills.audit import record
from tests.skills.test_audit_pages import actions, pieces_of, text_of

pytestmark = [pytest.mark.both, pytest.mark.django_db]

EVENTS = "admin:skills_auditevent_changelist"
EXPORT = "admin:skills_auditevent_export_page"
MANY = 4000
AN_ID = "01a2297a-2272-7f4a-9685-8f7cbaf35da2"  # the same in each process: it names tests
QUERIES = 8  # of the list with its chart, whatever it shows


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def denied(alice: User) -> AuditEvent:
    """A decision and a call, and others that no filter here finds."""
    facts = {"tool": "fetch", "skill": "memory-recall", "reason_code": "permission_missing"}
    actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=uuid7(), agent_id=uuid7())
    values: dict[str, Any] = {**facts, "actor": actor, "outcome": Outcome.DENIED}
    record("policy.decided", metadata={"decision": "deny"}, **values)
    event = record("tool.call.denied", target=("tool_call", "call-7"), **values)
    asked = {"decision": "needs_consent"}
    record("policy.decided", outcome=Outcome.ALLOWED, metadata=asked, tool="document")
    record("job.executed")
    return event


def found(console: Client, **query: str) -> set[str]:
    response = console.get(reverse(EVENTS), query)
    assert response.status_code == 200
    shown = {event.action for event in response.context["cl"].result_list}
    return shown - {"auth.signed_in"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"outcome__exact": "denied"}, {"policy.decided", "tool.call.denied"}),
        ({"outcome__exact": "allowed"}, {"policy.decided"}),
        ({"outcome__exact": "nonsense"}, set()),
        ({"decision": "deny"}, {"policy.decided"}),
        ({"decision": "deny", "tool": "document"}, set()),
        ({"decision": "needs_consent", "tool": "document"}, {"policy.decided"}),
        ({"decision": "needs_consent", "tool": "fetch"}, set()),
        ({"decision": "nonsense"}, set()),
        ({"skill": "memory-recall"}, {"policy.decided", "tool.call.denied"}),
        ({"skill": "nothing"}, set()),
        ({"target": "call-7"}, {"tool.call.denied"}),
        ({"target": "call"}, set()),
        ({"reason_code": "permission_missing"}, {"policy.decided", "tool.call.denied"}),
        ({"reason_code": "permission"}, set()),
        ({"q": "permission_missing memory-recall call-7"}, {"tool.call.denied"}),
        ({"q": "job."}, {"job.executed"}),
    ],
)
def test_it_is_narrowed(
    console: Client, denied: AuditEvent, query: dict[str, str], expected: set[str]
) -> None:
    assert found(console, **query) == expected


def test_the_search_finds_agents_and_conversations(console: Client, denied: AuditEvent) -> None:
    for key in (denied.agent_id, denied.conversation_id):
        assert found(console, q=str(key)) == {"policy.decided", "tool.call.denied"}


def test_the_list_asks_a_fixed_number_of_times(console: Client, alice: User) -> None:
    def cost(**query: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            found(console, **query)
        return len(queries)

    refuse(alice)
    cost()  # warms what is cached once
    few = cost()
    refuse(alice, 30)
    costs = [few, cost(), cost(outcome__exact="denied", tool="fetch")]
    assert costs == [QUERIES] * 3
    assert cost(q="fetch") <= few + 2  # who is called so, and the known actions


def test_it_counts_up_to_a_limit_only(console: Client, denied: AuditEvent) -> None:
    console.get(reverse(EVENTS))
    for query in ({}, {"tool": "fetch"}, {"q": "fetch"}):
        with CaptureQueriesContext(connection) as queries:
            found(console, **query)
        counts = [one["sql"] for one in queries if one["sql"].startswith("SELECT COUNT(")]
        of_events = [sql for sql in counts if "skills_auditevent" in sql]
        assert of_events
        assert all(f"LIMIT {COUNTED}" in sql for sql in of_events)


# --- Indexes ---


@pytest.fixture
def many(denied: AuditEvent, bob: User) -> None:
    """Of most of them nobody asks."""
    start = timezone.now() - timedelta(days=60)
    AuditEvent.objects.bulk_create(
        AuditEvent(
            action="policy.decided" if n % 2 else "tool.call.succeeded",
            outcome="allowed" if n % 2 else "succeeded",
            actor="user",
            subject=subject_of(bob),
            tool=f"tool-{n % 40}",
            target_id=str(n),
            recorded_at=start + timedelta(minutes=n),
            run_id=uuid7(),
            conversation_id=uuid7(),
            row_hash="",
        )
        for n in range(MANY)
    )
    analyze(AuditEvent)


FILTERS = {one.parameter_name: one for one in EVENT_FILTERS}


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("parameter", "value", "index"),
    [
        ("outcome__exact", "denied", "audit_"),
        ("outcome__exact", "failed", "audit_by_outcome"),
        ("tool", "fetch", "audit_by_tool"),
        ("skill", "memory-recall", "audit_by_skill"),
        ("reason_code", "permission_missing", "audit_by_reason"),
        ("target", "call-7", "target_id"),
        ("action", "tool.call.denied", "audit_by_action"),
        ("decision", "deny", "audit_"),
    ],
)
def test_each_filter_finds_its_index(parameter: str, value: str, index: str) -> None:
    request = RequestFactory().get("/", {parameter: value})
    narrowing = FILTERS[parameter](request, {}, AuditEvent, None)
    narrowing.used_parameters = {parameter: value}
    assert_uses_index(AuditEvent.objects.filter(narrowing.narrow(value)).order_by("-id"), index)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("word", ["permission_missing", "nothing", "alice", AN_ID])
def test_the_search_reads_no_table_from_end_to_end(word: str) -> None:
    assert_uses_index(search(AuditEvent.objects.all(), word).order_by("-id"))


@pytest.mark.usefixtures("many")
def test_the_chart_reads_denials_only() -> None:
    period = period_of("7d", timezone.now())
    with CaptureQueriesContext(connection) as queries:
        denials.count_denials(AuditEvent.objects.all(), period)
    first, counted = (query["sql"] for query in queries)
    with connection.cursor() as cursor:
        prefix = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
        plans = []
        for sql in (first, counted):
            cursor.execute(f"{prefix} {sql}".replace("%", "%%"))
            plans.append(str(cursor.fetchall()))
    assert "recorded_at" in plans[0]
    assert "audit_by_outcome" in plans[1] or "audit_denials" in plans[1]


# --- The chart ---


def test_denials_are_charted_by_reason(console: Client, alice: User) -> None:
    refuse(alice, 3, reason_code="permission_missing")
    refuse(alice, 1, reason_code="quota_exceeded", tool="document")
    context = console.get(reverse(EVENTS)).context["denials"]
    assert context["total"] == 4  # the decisions beside them are no second denial
    told = {item["name"]: item["total"] for item in context["legend"]}
    assert told == {"permission_missing": 3, "quota_exceeded": 1}
    page = text_of(console.get(reverse(EVENTS)))
    assert "Denials, 7 days: 4" in page
    assert "<svg" in page


def test_the_chart_shows_what_the_list_shows(console: Client, alice: User, bob: User) -> None:
    refuse(alice, 3, reason_code="permission_missing")
    refuse(bob, 2, tool="document")

    def total(**query: str) -> int:
        count: int = console.get(reverse(EVENTS), query).context["denials"]["total"]
        return count

    assert total(user="alice") == 3
    assert total(tool="document") == 2
    assert total(user="alice", tool="document") == 0
    assert total(since=(timezone.now() + timedelta(hours=1)).isoformat()) == 0
    assert total(outcome__exact="succeeded") == 0


def test_its_figures_lead_to_the_rows(console: Client, alice: User) -> None:
    refuse(alice, 3, reason_code="permission_missing")
    context = console.get(reverse(EVENTS), {"user": "alice"}).context["denials"]
    for link in (context["legend"][0]["link"], context["rows"][0]["link"]):
        page = console.get(reverse(EVENTS) + link)
        shown = list(page.context["cl"].result_list)
        assert len([event for event in shown if event.action == "tool.call.denied"]) == 3
        assert {event.outcome for event in shown} == {"denied"}


def test_the_less_frequent_reasons_are_told_together(console: Client, alice: User) -> None:
    for n in range(6):
        refuse(alice, 6 - n, reason_code=f"reason_{n}")
    legend = console.get(reverse(EVENTS)).context["denials"]["legend"]
    assert [item["name"] for item in legend][-1] == "others"
    assert len(legend) == len(denials.COLOURS) + 1
    assert sum(item["total"] for item in legend) == 21


def test_without_denials_it_says_so(console: Client) -> None:
    assert "Nobody was refused anything." in text_of(console.get(reverse(EVENTS)))


@pytest.mark.parametrize(
    ("query", "period", "label"),
    [
        ({}, "7d", "7 days"),
        ({"within": "24h"}, "24h", "24 hours"),
        ({"within": "today"}, "24h", "today"),
        ({"within": "30d"}, "30d", "30 days"),
        ({"within": "nonsense"}, "7d", "7 days"),
        ({"since": "2026-05-20T09:30"}, "24h", "2026-05-20 09:30 to 2026-05-20 14:30"),
        ({"since": "2026-05-01", "until": "2026-05-08"}, "7d", "2026-05-02 00:00 to"),
        ({"since": "2026-05-04", "until": "2026-05-08"}, "7d", "2026-05-04 00:00 to 2026-05-08"),
        ({"since": "2020-01-01T00:00"}, "30d", "2026-04-21 00:00 to 2026-05-20 14:30"),
        ({"until": "2026-05-08"}, "7d", "2026-05-02 00:00 to 2026-05-08 00:00"),
        ({"until": "2030-01-01"}, "7d", "2026-05-14 00:00 to 2026-05-20 14:30"),
        ({"since": "nonsense"}, "7d", "7 days"),
    ],
)
def test_it_covers_the_time_that_is_asked_for_and_says_which(
    rf: RequestFactory, query: dict[str, str], period: str, label: str
) -> None:
    asked = denials.asked_period(rf.get("/", query), datetime(2026, 5, 20, 14, 30, tzinfo=UTC))
    assert asked.key == period
    assert str(asked.label).startswith(label)


def test_today_begins_at_midnight(rf: RequestFactory) -> None:
    now = datetime(2026, 5, 20, 14, 30, tzinfo=UTC)
    asked = denials.asked_period(rf.get("/", {"within": "today"}), now)
    assert asked.labels() == [f"{hour:02}:00" for hour in range(15)]


# --- Exporting what is shown ---


def exported(console: Client, **query: str) -> list[dict[str, Any]]:
    address = reverse(EXPORT, query=query)
    _response, pieces = pieces_of(console, {}, address)
    return [json.loads(line) for line in b"".join(pieces).decode().splitlines()]


def test_what_is_shown_is_exported(console: Client, denied: AuditEvent) -> None:
    assert actions(exported(console, tool="fetch", q="call-7")) == ["tool.call.denied"]
    event = AuditEvent.objects.get(action="audit.exported")
    assert event.metadata == {"tool": "fetch", "searched": True}


def test_whose_events_were_exported_is_told_by_the_subject(
    console: Client, denied: AuditEvent, alice: User
) -> None:
    assert len(actions(exported(console, user="alice"))) == 2
    event = AuditEvent.objects.get(action="audit.exported")
    assert event.metadata == {"subject": str(subject_of(alice))}
    assert "alice" not in json.dumps(event.metadata)


def test_the_list_leads_to_its_export(console: Client, denied: AuditEvent) -> None:
    link = f"{reverse(EXPORT)}?tool=fetch"
    assert link not in text_of(console.get(reverse(EVENTS)))
    assert link in text_of(console.get(reverse(EVENTS), {"tool": "fetch"}))
    page = text_of(console.get(link))
    assert "fetch" in page
    assert "2 events" in page
    assert not AuditEvent.objects.filter(action="audit.exported").exists()


def test_a_parameter_that_is_none_leads_to_the_form(console: Client) -> None:
    response = console.get(reverse(EXPORT), {"nonsense": "1"})
    assert response.status_code == 302
    assert response.headers["Location"] == reverse(EXPORT)
