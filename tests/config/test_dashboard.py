"""The console's first page: its figures, where they lead, and what it costs."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from agents.models import Agent, Conversation, Run, RunStatus
from config.base import audit
from config.base.admin_charts import Chart, Series
from config.base.admin_periods import NAMES, period_of
from config.base.ids import uuid7
from config.base.models import User
from skills.sealer import seal_once
from tests.factories import UserFactory
from tests.plans import analyze, assert_uses_index
from tests.tools.factories import ToolFactory
from tests.tools.secrets import KEYS, make_secret
from tools.enums import CallStatus, DraftState
from tools.log.figures import count_by_slot, list_tool_figures, percentiles
from tools.models import ActionDraft, Tool, ToolCall
from tools.testing import fake_types

pytestmark = [pytest.mark.django_db, pytest.mark.both]

INDEX = "admin:index"
CHANGED = {"descriptor": {"name": "search"}, "changed_descriptor": {"name": "search", "title": "x"}}
NOW = datetime(2026, 5, 20, 10, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def fakes() -> Iterator[None]:
    with fake_types():
        yield


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


def add_draft(user: User, age: timedelta, state: str = DraftState.DRAFT) -> ActionDraft:
    call = add_call(user, age, status=CallStatus.NEEDS_CONFIRMATION, duration_ms=None)
    draft = ActionDraft.objects.create(
        call=call,
        owner=user,
        state=state,
        proposed_arguments={},
        plan={"title": ""},
        conditions="",
        hash="",
        expires_at=timezone.now() + timedelta(days=7),
    )
    ActionDraft.objects.filter(pk=draft.pk).update(created_at=timezone.now() - age)
    return draft


def add_run(user: User, status: str = RunStatus.COMPLETED, **values: Any) -> Run:
    agent, _new = Agent.objects.get_or_create(slug="guide", defaults={"name": "Guide"})
    talk = Conversation.objects.create(owner=user, agent=agent)
    return Run.objects.create(
        owner=user, agent=agent, conversation=talk, origin="chat", status=status, **values
    )


def page(console: Client, period: str = "24h") -> Any:
    response = console.get(reverse(INDEX), {"period": period})
    assert response.status_code == 200
    return response


def attention(console: Client) -> dict[str, str]:
    """Text to level."""
    return {item.text: item.level for item in page(console).context["attention"]}


# --- Time ---


@pytest.mark.parametrize(
    ("key", "zone", "slots", "first"),
    [
        ("24h", "UTC", 24, "2026-05-19T11:00:00+00:00"),
        ("7d", "UTC", 26, "2026-05-14T00:00:00+00:00"),
        ("30d", "UTC", 30, "2026-04-21T00:00:00+00:00"),
        ("30d", "Asia/Kolkata", 30, "2026-04-21T00:00:00+05:30"),
        ("30d", "America/New_York", 30, "2026-04-21T00:00:00-04:00"),
        ("nonsense", "UTC", 24, "2026-05-19T11:00:00+00:00"),
        (None, "UTC", 24, "2026-05-19T11:00:00+00:00"),
    ],
)
def test_a_period_begins_where_the_readers_days_begin(
    key: str | None, zone: str, slots: int, first: str
) -> None:
    with timezone.override(zone):
        period = period_of(key, NOW)
    assert len(period.starts) == slots
    assert period.since.isoformat() == first


def test_a_day_is_a_day_when_the_clocks_change() -> None:
    with timezone.override("Europe/Berlin"):
        period = period_of("30d", datetime(2026, 4, 5, 10, tzinfo=UTC))
        assert {timezone.localtime(start).hour for start in period.starts} == {0}
        assert period.slot_of("2026-03-28 22") + 1 == period.slot_of("2026-03-28 23")
        assert period.slot_of("2026-03-29 21") + 1 == period.slot_of("2026-03-29 22")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/New_York", "Asia/Kathmandu"])
@pytest.mark.parametrize("key", list(NAMES))
def test_each_call_counts_in_the_slot_it_happened_in(alice: User, zone: str, key: str) -> None:
    now = timezone.now()
    with timezone.override(zone):
        period = period_of(key, now)
        for slot in (0, len(period.starts) // 2, len(period.starts) - 1):
            moment = min(period.starts[slot] + timedelta(minutes=5), now)
            add_call(alice, now - moment)
        add_call(alice, now - period.since + timedelta(minutes=1))
        found = count_by_slot(period)
    assert sum(found["success"]) == 3
    assert [n for n, calls in enumerate(found["success"]) if calls] == [
        0,
        len(period.starts) // 2,
        len(period.starts) - 1,
    ]


# --- Percentiles ---


@pytest.mark.parametrize(
    ("values", "p50", "p95"),
    [
        ([], None, None),
        ([7], 7, 7),
        ([1, 2], 1, 2),
        (range(1, 101), 50, 95),
        ([*[0] * 94, *[9] * 6], 0, 9),
        ([*[0] * 95, *[9] * 5], 0, 0),
    ],
)
def test_percentiles_are_by_nearest_rank(values: Any, p50: int | None, p95: int | None) -> None:
    counts = {value: list(values).count(value) for value in values}
    assert percentiles(counts, (0.5, 0.95)) == [p50, p95]


@pytest.mark.parametrize("exact", [0, 1, 199, 203, 1_999, 2_049, 19_950, 20_999, 119_999])
def test_a_percentile_is_right_to_within_five_per_cent(alice: User, exact: int) -> None:
    add_call(alice, duration_ms=exact)
    (tool,) = list_tool_figures(period_of("24h", timezone.now()))
    assert tool.p95_ms is not None
    assert exact * 0.95 <= tool.p95_ms <= exact


def test_tools_are_counted_apart(alice: User) -> None:
    for duration in (10, 20, 30):
        add_call(alice, duration_ms=duration)
    add_call(alice, tool_slug="other", status=CallStatus.ERROR, duration_ms=None)
    first, second = list_tool_figures(period_of("24h", timezone.now()))
    assert (first.slug, first.calls, first.failed, first.p50_ms) == ("echo", 3, 0, 20)
    assert (second.slug, second.error_rate, second.p95_ms) == ("other", 1.0, None)


# --- The page ---


def test_a_fresh_installation_says_what_to_do_first(console: Client) -> None:
    text = page(console).content.decode()
    assert "first steps" in text
    assert reverse("admin:agents_modelprofile_changelist") in text
    assert "<svg" not in text


@pytest.fixture
def history(alice: User) -> None:
    for _ in range(3):
        add_call(alice)
    add_call(alice, status=CallStatus.ERROR, error_code="refused")
    add_call(alice, status=CallStatus.DENIED, error_code="denied", duration_ms=None)
    add_call(alice, timedelta(days=3))
    add_draft(alice, timedelta(minutes=10))
    add_draft(alice, timedelta(days=2), DraftState.OUTCOME_UNKNOWN)
    add_run(alice, input_tokens=100, output_tokens=20, cost_usd=Decimal("0.5"))
    add_run(alice, RunStatus.FAILED)


@pytest.mark.usefixtures("history")
def test_the_figures_are_those_of_the_period(console: Client) -> None:
    figures = {figure.label: figure.value for figure in page(console).context["figures"]}
    assert figures["Tool calls"] == "6"
    assert figures["Failed"] == "16.7 %"
    assert figures["Drafts waiting"] == "1"
    assert (figures["Runs"], figures["Tokens"], figures["Cost"]) == ("2", "120", "0.50 USD")
    week = {figure.label: figure.value for figure in page(console, "7d").context["figures"]}
    assert week["Tool calls"] == "8"


@pytest.mark.usefixtures("history")
def test_the_share_and_the_errors_below_it_count_the_same_calls(console: Client) -> None:
    errors = page(console).context["calls"]["errors"]
    assert [(row["code"], row["n"]) for row in errors] == [("refused", 1)]


def test_what_has_no_price_costs_a_dash(console: Client, alice: User) -> None:
    add_run(alice, input_tokens=100)
    figures = {figure.label: figure.value for figure in page(console).context["figures"]}
    assert figures["Cost"] == "–"


def rows_behind(console: Client, link: str) -> int:
    response = console.get(unescape(link))
    assert response.status_code == 200, link
    count: int = response.context["cl"].result_count
    return count


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_every_number_leads_to_that_many_rows(console: Client, operator: User, zone: str) -> None:
    User.objects.filter(pk=operator.pk).update(time_zone=zone)
    text = page(console).content.decode()
    numbers = re.findall(r'<a class="gh-link" href="([^"]+)">(?:[^<]*: )?(\d+)</a>', text)
    assert len(numbers) > 10
    for link, number in numbers:
        assert rows_behind(console, link) == int(number), link


@pytest.mark.usefixtures("history")
def test_every_link_of_the_page_opens(console: Client) -> None:
    for period in NAMES:
        text = page(console, period).content.decode()
        main = text[text.index("gh-dashboard") :]
        for link in set(re.findall(r'href="([^"]+)"', main)):
            assert console.get(unescape(link)).status_code == 200, link


@pytest.mark.usefixtures("history")
def test_no_script_and_no_style_stand_in_our_part(console: Client) -> None:
    text = page(console).content.decode()
    ours = text[text.index("gh-dashboard") : text.rindex("</svg>")]
    assert "<script" not in ours
    assert not re.search(r"\sstyle=|\son\w+=", ours)


def test_a_chart_escapes_what_it_names() -> None:
    chart = Chart("<i>", ["<b>"], [Series("<u>", "error", [1.0])])
    assert "&lt;b&gt; · &lt;u&gt;: 1" in chart.svg
    assert "<b>" not in chart.svg
    assert "<i>" not in chart.svg


def test_bars_stand_on_each_other_and_fill_the_height() -> None:
    chart = Chart("t", ["a", "b"], [Series("x", "error", [3, 0]), Series("y", "input", [1, 2])])
    assert re.findall(r' y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', chart.svg) == [
        ("35.00", "105.00"),
        ("0.00", "35.00"),
        ("70.00", "70.00"),
    ]


# --- What needs attention ---


def test_nothing_needs_attention_when_all_is_well(console: Client) -> None:
    assert set(attention(console)) <= {"The audit was never verified."}


def test_what_waits_and_what_got_lost_is_said(console: Client, alice: User) -> None:
    add_draft(alice, timedelta(minutes=16))
    add_draft(alice, timedelta(minutes=1))
    add_draft(alice, timedelta(minutes=1), DraftState.OUTCOME_UNKNOWN)
    found = attention(console)
    assert found["1 draft has waited for its person for over 15 minutes."] == "warning"
    lost = "1 action was sent and nobody knows whether it arrived."
    assert (next(iter(found)), found[lost]) == (lost, "danger")


@pytest.mark.parametrize(
    ("good", "bad", "said"), [(20, 5, True), (21, 5, False), (4, 1, False), (0, 4, False)]
)
def test_a_tool_that_fails_often_is_said(
    console: Client, alice: User, good: int, bad: int, said: bool
) -> None:
    for status, n in ((CallStatus.SUCCESS, good), (CallStatus.TIMEOUT, bad)):
        for _ in range(n):
            add_call(alice, status=status)
    assert (f"echo fails: {bad} of {good + bad} calls." in attention(console)) is said


def test_broken_and_disabled_tools_are_said(console: Client) -> None:
    Tool.objects.filter(slug="fetch").update(config={"colour": "red"})
    Tool.objects.filter(slug="calculator").update(enabled=False, type="vanished")
    found = attention(console)
    assert found["fetch can't be used: colour: Unknown key"] == "danger"
    assert found["1 tool is switched off."] == "info"


def test_each_tool_that_was_changed_at_its_server_leads_to_what_changed(console: Client) -> None:
    """It must not hide among those that somebody has switched off."""
    made = [
        ToolFactory.create(slug=f"shop_{n}", type="mcp", enabled=False, config=CHANGED)
        for n in range(7)
    ]
    Tool.objects.filter(slug="calculator").update(enabled=False)
    items = page(console).context["attention"]
    found = {item.link: item for item in items if "MCP server" in item.text}
    first = found[reverse("admin:tools_tool_descriptor", args=[made[0].pk])]
    assert (first.level, first.text[:6]) == ("danger", "shop_0")
    assert [item.text for item in found.values()][5:] == [
        "2 more tools say something else at their MCP server."
    ]
    assert "1 tool is switched off." in [item.text for item in items]
    for link in found:
        assert console.get(link).status_code == 200


def test_secrets_whose_key_is_gone_are_said(
    console: Client, client: Client, operator: User, settings: Any
) -> None:
    settings.SECRETS_KEYS = [KEYS[0]]
    make_secret(operator)
    said = "1 secret can't be opened: its key is not in GATEHOUSE_SECRETS_KEY."
    assert said not in attention(console)
    settings.SECRETS_KEYS = [KEYS[1]]
    assert attention(console)[said] == "danger"
    checks = client.get("/readyz").json()["checks"]
    assert checks["secrets"] == "ok (1 can't be opened: their key is not there)"


def test_runs_that_nobody_drives_and_runs_that_failed_are_said(
    console: Client, alice: User
) -> None:
    add_run(alice, RunStatus.FAILED, finished_at=timezone.now())
    old = add_run(alice, RunStatus.QUEUED)
    Run.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(minutes=2))
    found = attention(console)
    assert found["1 run failed."] == "warning"
    assert found["1 run has waited for over a minute for a process that drives it."] == "danger"


def test_a_sealer_that_is_behind_is_said(console: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.dashboard.attention.UNSEALED", timedelta(0))
    audit.record("other.event", audit.Outcome.SUCCEEDED, actor=None)
    assert any(text.startswith("The sealer is behind") for text in attention(console))
    while seal_once(timezone.now()):
        pass
    assert not any(text.startswith("The sealer is behind") for text in attention(console))


# --- Who sees what, and what it costs ---


@pytest.mark.usefixtures("history")
def test_staff_see_only_what_they_may_look_at(client: Client) -> None:
    reader = UserFactory.create(is_staff=True)
    client.force_login(reader)
    bare = page(client)
    assert (bare.context["figures"], bare.context["attention"]) == ([], [])
    reader.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(User.objects.get(pk=reader.pk))
    labels = [figure.label for figure in page(client).context["figures"]]
    assert labels == ["Runs", "Tokens", "Cost"]


def test_the_page_takes_few_queries_however_much_happened(console: Client, alice: User) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(console, "30d")
        return len(queries)

    page(console)
    add_call(alice)
    add_run(alice)
    few = cost()
    for n in range(20):
        add_call(alice, timedelta(days=n), tool_slug=f"tool_{n}", status=CallStatus.ERROR)
        add_draft(alice, timedelta(hours=n))
    assert cost() == few <= 27


def test_the_figures_are_read_from_indexes(alice: User) -> None:
    now = timezone.now()
    ToolCall.objects.bulk_create(
        ToolCall(
            idempotency_key=str(n),
            tool_slug="echo",
            tool_type="fake_echo",
            user=alice,
            origin="chat",
            input_digest="",
            status=CallStatus.SUCCESS,
        )
        for n in range(1500)
    )
    ToolCall.objects.update(created_at=now - timedelta(days=60))
    add_call(alice)
    analyze(ToolCall)
    rows = ToolCall.objects.filter(created_at__gte=period_of("24h", now).since).order_by()
    assert_uses_index(rows.values_list("status", "tool_slug", "duration_ms"), "call_newest")
