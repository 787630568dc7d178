"""The charts of one tool: what they count, where they lead, what they cost, what outlives what."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.base.admin_charts import Chart, Series
from config.base.admin_periods import NAMES, period_of
from config.base.ids import uuid7
from config.base.models import User
from jobs import services as jobs
from jobs.enums import JobStatus
from jobs.testing import run_due_jobs
from tests.factories import UserFactory
from tests.plans import analyze, assert_uses_index
from tests.tools.conftest import Make, run
from tools.enums import CallStatus
from tools.job_handlers import CallContent
from tools.log.figures import calls_of
from tools.log.history import get_tool_history
from tools.models import Tool, ToolCall, ToolCallContent
from tools.testing import REFUSE

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def add_call(user: User, age: timedelta = timedelta(0), **values: Any) -> ToolCall:
    facts = {"tool_slug": "echo", "status": CallStatus.SUCCESS, "duration_ms": 10} | values
    call = ToolCall.objects.create(
        idempotency_key=str(uuid7()),
        tool_type="fake_echo",
        user=user,
        origin="chat",
        input_digest="",
        **facts,
    )
    ToolCall.objects.filter(pk=call.pk).update(created_at=timezone.now() - age)
    return call


@pytest.fixture
def history(make: Make, alice: User) -> None:
    make("echo", slug="echo")
    for duration in (10, 20, 30):
        add_call(alice, duration_ms=duration)
    add_call(alice, status=CallStatus.ERROR, error_code="refused", duration_ms=40)
    add_call(alice, status=CallStatus.TIMEOUT, error_code="timeout", duration_ms=9000)
    add_call(alice, status=CallStatus.DENIED, error_code="denied", duration_ms=None)
    add_call(alice, timedelta(days=3), duration_ms=100)
    add_call(alice, tool_slug="other", duration_ms=77)


def page(console: Client, period: str = "24h", slug: str = "echo") -> Any:
    address = reverse("admin:tools_tool_calls", args=[slug])
    response = console.get(address, {"period": period})
    assert response.status_code == 200
    return response


@pytest.mark.usefixtures("history")
def test_the_figures_are_those_of_this_tool_and_this_period(console: Client) -> None:
    figures = {figure.label: figure.value for figure in page(console).context["figures"]}
    assert figures == {
        "Tool calls": "6",
        "Failed": "2",
        "Timed out": "1",
        "Denied": "1",
        "p50": "30 ms",
        "p95": "9,000 ms",
    }
    week = {figure.label: figure.value for figure in page(console, "7d").context["figures"]}
    assert week["Tool calls"] == "7"


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/New_York"])
@pytest.mark.parametrize("key", list(NAMES))
def test_each_slot_has_its_own_calls_and_percentiles(alice: User, key: str, zone: str) -> None:
    now = timezone.now()
    with timezone.override(zone):
        period = period_of(key, now)
        last = len(period.starts) - 1
        for slot, duration in ((0, 10), (last // 2, 150), (last, 30)):
            moment = min(period.starts[slot] + timedelta(minutes=5), now)
            add_call(alice, now - moment, duration_ms=duration)
        add_call(alice, now - period.since + timedelta(minutes=1), duration_ms=5)
        found = get_tool_history("echo", period)
    assert sum(found.by_slot["success"]) == 3
    told = {n: pair for n, pair in enumerate(found.percentiles_by_slot) if pair != (None, None)}
    assert told == {0: (10, 10), last // 2: (150, 150), last: (30, 30)}
    assert found.percentiles == (30, 150)


@pytest.mark.usefixtures("history")
def test_the_same_figures_stand_in_tables(console: Client) -> None:
    context = page(console, "30d").context
    assert sum(n for row in context["calls"]["rows"] for n, _link in row["cells"]) == 7
    assert {(row["p50"], row["p95"]) for row in context["calls"]["rows"]} == {
        (30, 9000),
        (100, 100),
    }
    assert [(row["code"], row["n"]) for row in context["errors"]] == [
        ("refused", 1),
        ("timeout", 1),
    ]


def rows_behind(console: Client, link: str) -> int:
    response = console.get(unescape(link))
    assert response.status_code == 200, link
    count: int = response.context["cl"].result_count
    return count


@pytest.mark.usefixtures("history")
def test_every_number_leads_to_that_many_rows(console: Client) -> None:
    text = page(console, "7d").content.decode()
    main = text[text.index("gh-dashboard") :]
    numbers = re.findall(r'<a class="gh-link" href="([^"]+)">(?:[^<]*: )?(\d+)</a>', main)
    assert len(numbers) >= 8
    for link, number in numbers:
        assert rows_behind(console, link) == int(number), link
    for figure in page(console).context["figures"][:4]:
        assert rows_behind(console, figure.link) == int(figure.value), figure


@pytest.mark.usefixtures("history")
def test_the_charts_are_said_in_words_and_need_neither_script_nor_style(console: Client) -> None:
    text = page(console).content.decode()
    ours = text[text.index("gh-dashboard") : text.rindex("</svg>")]
    assert ours.count('role="img" aria-label="') == 2
    assert "<script" not in ours
    assert not re.search(r"\sstyle=|\son\w+=", ours)
    assert re.search(r"<title>[^<]* · p95: 9,000 ms</title>", ours)


def test_bars_can_stand_before_each_other() -> None:
    series = [Series("p95", "p95", [4, 0]), Series("p50", "p50", [1, 2])]
    chart = Chart("t", ["a", "b"], series, stacked=False)
    assert chart.top == 4
    assert re.findall(r' y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', chart.svg) == [
        ("0.00", "140.00"),
        ("105.00", "35.00"),
        ("70.00", "70.00"),
    ]


# --- Ways to it ---


def test_the_tool_the_list_and_the_overview_lead_to_it(
    make: Make, console: Client, alice: User
) -> None:
    tool = make("echo", slug="echo")
    add_call(alice)
    address = reverse("admin:tools_tool_calls", args=["echo"])
    action = reverse("admin:tools_tool_charts", args=[tool.pk])
    response = console.get(action)
    assert (response.status_code, response["Location"]) == (302, address)
    for name, arguments in (("tools_tool_changelist", []), ("tools_tool_change", [tool.pk])):
        assert action in console.get(reverse(f"admin:{name}", args=arguments)).content.decode()
    assert address in console.get(reverse("admin:index")).content.decode()


def test_a_tool_that_was_not_called_says_so(make: Make, console: Client) -> None:
    make("echo", slug="echo")
    text = page(console).content.decode()
    assert "It was not called in this time." in text
    assert "<svg class" not in text


def test_a_tool_that_is_gone_still_has_its_charts(console: Client, alice: User) -> None:
    add_call(alice, tool_slug="gone")
    assert "There is no tool of this name any more" in page(console, slug="gone").content.decode()
    assert console.get(reverse("admin:tools_tool_calls", args=["never"])).status_code == 404
    gone = console.get(reverse("admin:tools_tool_charts", args=[uuid7()]), follow=True)
    assert "There is no such tool." in gone.content.decode()


def test_who_may_not_see_calls_sees_no_charts(make: Make, client: Client) -> None:
    tool = make("echo", slug="echo")
    reader = UserFactory.create(username="reader", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_tool"))
    client.force_login(reader)
    for address in (
        reverse("admin:tools_tool_calls", args=["echo"]),
        reverse("admin:tools_tool_charts", args=[tool.pk]),
    ):
        assert client.get(address).status_code == 403
    assert "/charts/" not in client.get(reverse("admin:tools_tool_changelist")).content.decode()


# --- Cost ---


@pytest.mark.usefixtures("history")
def test_more_calls_cost_no_more_queries(console: Client, alice: User) -> None:
    page(console)
    with CaptureQueriesContext(connection) as few:
        page(console)
    for n in range(50):
        add_call(alice, timedelta(minutes=n), duration_ms=n)
    with CaptureQueriesContext(connection) as many:
        page(console)
    assert len(many) == len(few) <= 10  # three of them are ours


def test_its_calls_are_found_by_their_index(alice: User) -> None:
    now = timezone.now()
    ToolCall.objects.bulk_create(
        ToolCall(
            idempotency_key=str(uuid7()),
            tool_slug=f"tool_{n % 50}",
            tool_type="fake_echo",
            user=alice,
            origin="chat",
            input_digest="",
            status=CallStatus.SUCCESS if n % 3 else CallStatus.ERROR,
            duration_ms=n,
        )
        for n in range(3000)
    )
    analyze(ToolCall)
    for key in NAMES:
        assert_uses_index(calls_of("tool_7", period_of(key, now)), "call_by_tool")


# --- What outlives what ---


def seen(console: Client) -> Any:
    """All that the page shows of them."""
    context = page(console, "7d").context
    return (
        [(figure.label, figure.value, figure.note) for figure in context["figures"]],
        context["calls"]["rows"],
        context["calls"]["legend"],
        context["durations"].svg,
        context["errors"],
    )


def test_the_charts_stay_when_the_content_of_the_log_goes(
    make: Make, console: Client, alice: User, settings: Any
) -> None:
    tool = make("echo", slug="echo")
    for word in ("hello", "hello", REFUSE):
        run(tool, alice, word)
    ToolCall.objects.update(created_at=timezone.now() - timedelta(days=1))
    before = seen(console)
    too_old = timezone.now() - timedelta(days=settings.CALL_CONTENT_DAYS, minutes=1)
    ToolCallContent.objects.update(created_at=too_old)
    job = jobs.enqueue(CallContent.kind, actor=None)
    assert {ran.pk: ran.status for ran in run_due_jobs()}[job.pk] == JobStatus.COMPLETED
    assert not ToolCallContent.objects.exists()
    assert ToolCall.objects.count() == 3
    assert seen(console) == before


def test_the_charts_stay_when_person_and_tool_go(make: Make, console: Client, bob: User) -> None:
    run(make("echo", slug="echo"), bob)
    before = seen(console)
    Tool.objects.filter(slug="echo").delete()
    bob.delete()
    assert ToolCall.objects.get().user is None
    assert seen(console) == before
