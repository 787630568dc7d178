"""The log explorer: what it finds, what it costs, and by which index."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import QuerySet
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from agents.models import Agent
from config.base import admin_paging
from config.base.ids import uuid7
from config.base.models import User
from tests.plans import analyze, assert_uses_index
from tests.tools.conftest import Make, actor_of, context_for, run
from tools.enums import CallStatus
from tools.models import ToolCall
from tools.pipeline import call_tool
from tools.testing import REFUSE, FakeDirectory

pytestmark = [pytest.mark.django_db, pytest.mark.both]

CALLS = "admin:tools_toolcall_changelist"
AGENT = uuid7()
MANY = 1500


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


@pytest.fixture
def calls(
    make: Make, alice: User, bob: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that went well, one that failed, one that was denied; slow, old, and by an agent."""
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    monkeypatch.setattr(FakeDirectory, "tool_sets", {AGENT: {}})
    fine = run(make("echo", slug="fine"), alice).call
    run(make("echo", slug="failed"), bob, REFUSE)
    run(make("rename", slug="denied", enabled=False), bob, actor=actor_of(bob, agent_id=AGENT))
    ToolCall.objects.filter(pk=fine.pk).update(
        duration_ms=5000, created_at=datetime(2026, 3, 1, 12, tzinfo=UTC)
    )


def shown(console: Client, **query: str) -> set[str]:
    response = console.get(reverse(CALLS), query)
    assert response.status_code == 200
    return {call.tool_slug for call in response.context["cl"].result_list}


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"type": "fake_echo"}, {"fine", "failed"}),
        ({"type": "fake_echo", "user": "bob"}, {"failed"}),
        ({"status__exact": "denied"}, {"denied"}),
        ({"outcome": "deny"}, {"denied"}),
        ({"outcome": "allow"}, {"fine", "failed"}),
        ({"gate": "enabled", "outcome": "deny"}, {"denied"}),
        ({"error": "refused"}, {"failed"}),
        ({"agent": str(AGENT)}, {"denied"}),
        ({"slow": "5000"}, {"fine"}),
        ({"slow": "5001"}, set()),
        ({"since": "2026-03-01T12:00", "until": "2026-03-01T12:00:01"}, {"fine"}),
        ({"since": "2026-03-01T12:00:00.5", "until": "2026-03-02"}, set()),
        ({"until": "2026-03-01T12:00:00+00:00"}, set()),
        ({"since": "2026-03-01T13:00:00+00:00"}, {"failed", "denied"}),
        ({"user": " alice "}, {"fine"}),
        ({"failed": "1"}, {"failed"}),
        ({"failed": "any"}, {"failed", "denied"}),
        ({"within": "24h"}, {"failed", "denied"}),
        ({"within": "7d", "failed": "any", "user": "alice"}, set()),
    ],
)
def test_it_is_filtered(console: Client, query: dict[str, str], found: set[str]) -> None:
    assert shown(console, **query) == found


@pytest.mark.usefixtures("calls")
def test_a_search_of_very_many_words_is_answered(console: Client) -> None:
    """Each word is a condition: thousands are more than a database takes."""
    assert shown(console, q="word " * 3000) == set()


@pytest.mark.usefixtures("calls")
def test_times_are_those_of_whoever_asks(console: Client, operator: User) -> None:
    User.objects.filter(pk=operator.pk).update(time_zone="Asia/Shanghai")
    assert shown(console, since="2026-03-01T20:00", until="2026-03-01T20:01") == {"fine"}


@pytest.mark.usefixtures("calls")
@pytest.mark.parametrize("name", ["since", "until", "agent", "slow", "status__exact", "within"])
@pytest.mark.parametrize("value", ["nonsense", "９９９９９９９９９９-99", "-1e9999", "\0x"])
def test_what_makes_no_sense_finds_nothing(console: Client, name: str, value: str) -> None:
    assert shown(console, **{name: value}) == set()


@pytest.mark.usefixtures("calls")
def test_today_begins_where_the_readers_day_does(
    console: Client, operator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk=operator.pk).update(time_zone="Asia/Shanghai")
    evening = datetime(2026, 3, 1, 15, 30, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: evening)
    ToolCall.objects.filter(tool_slug="failed").update(created_at=evening - timedelta(hours=23.4))
    ToolCall.objects.filter(tool_slug="denied").update(created_at=evening - timedelta(hours=23.6))
    assert shown(console, within="today") == {"fine", "failed"}


@pytest.mark.usefixtures("calls")
def test_what_narrows_the_list_is_said_above_it_and_taken_away_one_by_one(console: Client) -> None:
    page = console.get(reverse(CALLS), {"failed": "any", "user": "bob", "p": "2"}, follow=True)
    text = page.content.decode()
    assert "<strong>failed or denied</strong>" in text
    assert "<strong>bob</strong>" in text
    assert 'href="?user=bob"' in text
    assert 'href="?failed=any"' in text


@pytest.mark.usefixtures("calls")
def test_a_list_that_nothing_narrows_offers_no_way_out_of_it(console: Client) -> None:
    text = console.get(reverse(CALLS)).content.decode()
    assert "gh-applied" not in text
    assert "Show all" not in text
    assert "Show all" in console.get(reverse(CALLS), {"failed": "1"}).content.decode()
    ToolCall.objects.all().delete()
    assert "Reset filters" not in console.get(reverse(CALLS)).content.decode()
    assert "Reset filters" in console.get(reverse(CALLS), {"failed": "1"}).content.decode()


@pytest.mark.usefixtures("calls")
def test_a_filter_shows_what_was_asked_for(console: Client) -> None:
    text = console.get(reverse(CALLS), {"slow": "5000", "error": "<b>"}).content.decode()
    assert 'value="5000"' in text
    assert "&lt;b&gt;" in text
    assert "<b>" not in text


@pytest.mark.usefixtures("calls")
def test_it_leads_on_to_the_audit(console: Client) -> None:
    call = ToolCall.objects.get(tool_slug="denied")
    text = console.get(reverse("admin:tools_toolcall_change", args=[call.pk])).content.decode()
    assert reverse("admin:skills_auditevent_changelist") + f"?q={call.pk}" in text
    assert "tool_disabled" in text
    assert "(decides)" in text


# --- What it costs ---


def add_calls(user: User, count: int) -> None:
    now = timezone.now()
    ToolCall.objects.bulk_create(
        ToolCall(
            idempotency_key=str(uuid7()),
            tool_slug="fetch" if n % 50 else "rare",
            tool_type="fetch",
            user=user,
            origin="chat",
            run_id=uuid7(),
            input_digest="",
            status=CallStatus.ERROR if n % 50 == 0 else CallStatus.SUCCESS,
            finished_at=now,
        )
        for n in range(count)
    )


def test_a_page_takes_few_queries_however_many_calls_there_are(
    console: Client, alice: User
) -> None:
    def cost() -> list[str]:
        with CaptureQueriesContext(connection) as queries:
            shown(console, status__exact="success")
        return [query["sql"] for query in queries]

    add_calls(alice, 10)
    cost()
    few = cost()
    add_calls(alice, 100)
    assert len(cost()) == len(few) <= 12


def test_rows_are_counted_up_to_a_limit(
    console: Client, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_paging, "COUNTED", 60)
    add_calls(alice, 70)
    changelist = console.get(reverse(CALLS)).context["cl"]
    assert changelist.result_count == 60
    assert len(changelist.result_list) == 50


@pytest.fixture
def history(alice: User, bob: User) -> None:
    add_calls(bob, MANY)
    add_calls(alice, 20)
    analyze(ToolCall)


def page_of(operator: User, **query: str) -> QuerySet[ToolCall]:
    """What the list asks the database for."""
    request = RequestFactory().get(reverse(CALLS), query)
    request.user = operator
    changelist = admin.site.get_model_admin(ToolCall).get_changelist_instance(request)
    return changelist.get_queryset(request)[:50]


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("query", "index"),
    [
        ({}, "call_newest"),
        ({"tool": "rare"}, "call_by_tool"),
        ({"status__exact": "error"}, "call_by_status"),
        ({"status__exact": "error", "error": "dns_failed"}, "call_by_status"),
    ],
)
def test_each_page_is_read_from_an_index(operator: User, query: dict[str, str], index: str) -> None:
    rows = page_of(operator, **query).select_related(None)  # the few people are read as they please
    assert_uses_index(rows, index)


@pytest.mark.usefixtures("history")
def test_a_time_range_is_read_from_an_index(operator: User) -> None:
    since = (timezone.now() - timedelta(seconds=1)).isoformat()
    assert "call_newest" in page_of(operator, since=since).explain()


@pytest.mark.usefixtures("history")
def test_one_persons_calls_are_read_from_an_index(operator: User, alice: User) -> None:
    assert "call_by_user" in page_of(operator, user="alice").explain()


# --- What a row says ---


def detail(console: Client, call: ToolCall) -> str:
    text: str = console.get(reverse("admin:tools_toolcall_change", args=[call.pk])).content.decode()
    return text


def test_a_call_that_no_gate_saw_says_who_refused_it(
    make: Make, console: Client, alice: User
) -> None:
    tool = make("echo", slug="odd")
    call = call_tool(tool, {"wrong": 1}, context_for(alice)).call
    text = detail(console, call)
    assert "Refused before any gate was asked" in text
    assert "<code>invalid_arguments</code>" in text
    assert "refused before the gates" in console.get(reverse(CALLS)).content.decode()


@pytest.mark.usefixtures("calls")
def test_the_list_says_what_was_decided_in_words(console: Client) -> None:
    text = console.get(reverse(CALLS)).content.decode()
    assert "denied: The tool is switched off." in text
    assert "(enabled: " not in text


@pytest.mark.usefixtures("calls")
def test_a_call_names_its_agent_has_one_dash_and_no_history(console: Client) -> None:
    Agent.objects.create(pk=AGENT, slug="guide", name="Guide")
    call = ToolCall.objects.get(tool_slug="denied")
    text = detail(console, call)
    assert f"/admin/tools/toolcall/{call.pk}/history/" not in text
    assert ">Agent 1</a>" in text  # as the directory calls it
    assert not re.search(r">\s*-\s*<", text)
