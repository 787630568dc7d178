"""The quota gate: calls per run, per person and day, and per tool; counted once, also in races."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from config.base.ids import uuid7
from config.base.models import User
from skills.models import AuditEvent
from tests.threads import both_at_once
from tests.tools.api import Api
from tests.tools.conftest import Make, actor_of, context_for, parked, run
from tools import drafts
from tools.budgets.limits import day_of, describe_renewal, limits_of, renewal_of
from tools.budgets.quotas import used_on
from tools.budgets.usage import get_usage_today
from tools.drafts import confirm_draft
from tools.enums import CallStatus, DraftState
from tools.errors import CallDenied
from tools.models import ActionDraft, Tool, ToolCall, ToolDay, UserBudget, UserDay
from tools.preview import decide_only
from tools.testing import EXPLODE, SLOW, arguments_for

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def usage_of(user: User) -> UserDay:
    return UserDay.objects.get(user=user)


def test_it_refuses_the_call_after_the_last_of_the_day(make: Make, alice: User, limit: Any) -> None:
    limit(calls_per_day=2)
    tool = make("echo")
    assert [run(tool, alice).success for _ in range(2)] == [True, True]
    refused = run(tool, alice)
    assert refused.error
    assert (refused.error.code, refused.error.details["reason_code"]) == (
        "quota_exceeded",
        "day_quota_exceeded",
    )
    assert "2 tool calls a day" in refused.error.message
    assert "renews on" in refused.error.message
    assert (refused.call.status, (refused.call.decision or {})["gate"]) == (
        CallStatus.DENIED,
        "quota",
    )
    denied = AuditEvent.objects.get(action="tool.call.denied")
    assert denied.reason_code == "day_quota_exceeded"


def test_somebody_elses_calls_and_yesterdays_do_not_count(
    make: Make, alice: User, bob: User, limit: Any
) -> None:
    limit(calls_per_day=1)
    yesterday = day_of(timezone.now()) - timedelta(days=1)
    UserDay.objects.create(user=alice, day=yesterday, calls=99)
    tool = make("echo")
    assert run(tool, bob).success
    assert run(tool, alice).success


def test_each_run_has_its_own_quota(make: Make, alice: User, limit: Any) -> None:
    limit(calls_per_run=2)
    tool, first, second = make("echo"), uuid7(), uuid7()
    codes = []
    for run_id in (first, first, first, second):
        outcome = run(tool, alice, actor=actor_of(alice, run_id=run_id))
        codes.append(outcome.error.details["reason_code"] if outcome.error else "")
    assert codes == ["", "", "run_quota_exceeded", ""]


def test_none_is_no_limit(make: Make, alice: User, limit: Any) -> None:
    limit(calls_per_day=0, calls_per_run=0)
    actor = actor_of(alice, run_id=uuid7())
    assert all(run(make("echo"), alice, actor=actor).success for _ in range(3))


def test_a_persons_own_budget_counts_instead_and_leaves_the_rest(
    make: Make, alice: User, bob: User, limit: Any
) -> None:
    limit(calls_per_day=1, tokens_per_day=7)
    UserBudget.objects.create(user=alice, calls_per_day=2)
    UserBudget.objects.create(user=bob, calls_per_day=0)
    tool = make("echo")
    assert [run(tool, alice).success for _ in range(3)] == [True, True, False]
    assert [run(tool, bob).success for _ in range(3)] == [True, True, True]
    assert limits_of(alice).tokens_per_day == 7


def test_a_repeated_call_counts_once(make: Make, alice: User) -> None:
    tool = make("echo")
    for _ in range(3):
        assert run(tool, alice, idempotency_key="same").success
    assert usage_of(alice).calls == 1
    assert ToolCall.objects.get().nth_of_day == 1


def test_a_card_keeps_its_place_until_it_is_confirmed(make: Make, alice: User, limit: Any) -> None:
    limit(calls_per_day=1)
    tool = make("rename", needs_approval=True)
    draft = parked(tool, alice, "New")
    assert run(make("echo"), alice).error
    done = confirm_draft(
        actor_of(alice), draft.pk, expected_version=draft.version, idempotency_key="k"
    )
    assert done.state == DraftState.EXECUTED
    assert usage_of(alice).calls == 2  # the refused one counts, confirming does not


def test_a_decision_alone_counts_nothing_and_tells_what_would_be(
    make: Make, alice: User, limit: Any
) -> None:
    limit(calls_per_day=1)
    tool = make("echo")
    arguments = arguments_for(tool.type)
    assert decide_only(tool, arguments, context_for(alice)).outcome == "allow"
    assert not UserDay.objects.exists()
    run(tool, alice)
    decision = decide_only(tool, arguments, context_for(alice))
    assert decision.decisive.reason_code == "day_quota_exceeded"


def test_it_says_how_much_is_used_when_it_lets_pass(make: Make, alice: User, limit: Any) -> None:
    limit(calls_per_day=5)
    decision = run(make("echo"), alice).call.decision
    assert decision
    said = next(reason for reason in decision["reasons"] if reason["gate"] == "quota")
    assert said["reason"] == "Tool call 1 of this day; the limit is 5."


@pytest.mark.parametrize(
    ("own", "before"), [(5, "Tool call 3 of this day; the limit is 5. "), (0, "")]
)
def test_it_tells_of_the_tools_own_limit_too(
    make: Make, alice: User, bob: User, limit: Any, own: int, before: str
) -> None:
    expected = f"{before}It is call 2 of this tool’s day; the limit for everybody together is 7."
    limit(calls_per_day=own)
    tool, other = make("echo", calls_per_day=7, needs_approval=True), make("echo")
    for _ in range(2):
        run(other, alice)
    parked(tool, bob, "x")
    draft = parked(tool, alice, "x")
    said = [one for one in (draft.call.decision or {})["reasons"] if one["gate"] == "quota"]
    assert [(one["reason_code"], one["reason"]) for one in said] == [("within_quota", expected)]
    dry = decide_only(tool, arguments_for(tool.type), context_for(alice))
    third = next(one for one in dry.reasons if one.gate == "quota").reason
    assert "It is call 3 of this tool’s day" in third


def test_a_limit_of_one_is_told_in_the_singular(make: Make, alice: User, limit: Any) -> None:
    tool = make("echo", calls_per_day=1)
    run(tool, alice)
    refused = run(tool, alice)
    assert refused.error
    assert "1 time a day, by everybody together; that is used. It renews" in refused.error.message
    limit(calls_per_day=1)
    refused = run(make("echo"), alice)
    assert refused.error
    assert "At most 1 tool call a day is allowed; it is used." in refused.error.message


@pytest.mark.django_db(transaction=True)
def test_racing_calls_never_exceed_it(make: Make, alice: User, limit: Any) -> None:
    limit(calls_per_day=5)
    tool = make("echo")
    outcomes = both_at_once(*[lambda: run(tool, alice) for _ in range(8)])
    assert sum(outcome.success for outcome in outcomes) == 5
    numbers = ToolCall.objects.order_by("nth_of_day").values_list("nth_of_day", flat=True)
    assert list(numbers) == list(range(1, 9))


# --- Days and what is left of them ---


def test_days_begin_at_midnight_utc_and_are_told_in_ones_own_zone(alice: User) -> None:
    alice.time_zone = "Asia/Shanghai"
    now = datetime(2026, 3, 1, 23, 59, tzinfo=UTC)
    assert renewal_of(day_of(now)) == datetime(2026, 3, 2, tzinfo=UTC)
    assert describe_renewal(alice, now=now).endswith("8 a.m. (Asia/Shanghai).")


def test_usage_of_today_says_how_near_each_limit_is(
    make: Make, alice: User, limit: Any, django_assert_num_queries: Any
) -> None:
    limit(calls_per_day=10, tokens_per_day=0)
    now = timezone.now()
    UserDay.objects.create(
        user=alice, day=day_of(now), calls=8, input_tokens=5, output_tokens=2, cost_usd="50.5"
    )
    with django_assert_num_queries(2):
        usage = get_usage_today(alice, now=now)
    assert [(m.used, m.is_near, m.is_full) for m in usage][:2] == [
        (8, True, False),
        (7, False, False),
    ]
    assert usage.usd.is_full
    assert usage.renews_at > now


def test_usage_of_nobody_yet_is_nothing(alice: User) -> None:
    usage = get_usage_today(alice, now=timezone.now())
    assert [meter.used for meter in usage] == [0, 0, 0]


def test_the_console_changes_a_budget_and_says_so(operator: User, alice: User) -> None:
    client = Client()
    client.force_login(operator)
    url = "/admin/tools/userbudget/add/"
    assert "20000" in client.get(url).content.decode()  # what counts for everybody
    answer = client.post(url, {"user": str(alice.pk), "calls_per_day": "3", "usd_per_day": "0.5"})
    assert answer.status_code == 302
    assert limits_of(alice).calls_per_day == 3
    assert AuditEvent.objects.filter(action="config.changed", target_type="userbudget").exists()
    assert client.post(url, {"user": str(alice.pk), "calls_per_day": "-1"}).status_code == 200


def test_a_dismissed_card_still_counts(make: Make, alice: User) -> None:
    draft = parked(make("rename", needs_approval=True), alice, "New")
    drafts.dismiss_draft(actor_of(alice), draft.pk)
    assert usage_of(alice).calls == 1


# --- The quota of a tool ---


def place_of(tool: Tool) -> int:
    return used_on(tool, day_of(timezone.now()))


def test_a_tool_is_called_so_often_a_day_by_everybody_together(
    make: Make, alice: User, bob: User
) -> None:
    tool, other = make("echo", calls_per_day=2), make("echo")
    assert [run(tool, user).success for user in (alice, bob)] == [True, True]
    refused = run(tool, alice)
    assert refused.error
    assert refused.error.code == "quota_exceeded"
    assert refused.error.details["reason_code"] == "tool_quota_exceeded"
    assert "2 times a day" in refused.error.message
    assert "renews on" in refused.error.message
    assert run(other, alice).success


def test_yesterdays_calls_of_a_tool_do_not_count(make: Make, alice: User) -> None:
    tool = make("echo", calls_per_day=1)
    yesterday = day_of(timezone.now()) - timedelta(days=1)
    ToolDay.objects.create(tool=tool, day=yesterday, calls=99)
    assert run(tool, alice).success


def test_a_tool_without_a_limit_counts_nothing(make: Make, alice: User) -> None:
    assert run(make("echo"), alice).success
    assert not ToolDay.objects.exists()
    assert ToolCall.objects.get().quota_day is None


def test_a_repeated_call_takes_one_place(make: Make, alice: User) -> None:
    tool = make("echo", calls_per_day=1)
    assert all(run(tool, alice, idempotency_key="same").success for _ in range(3))
    assert place_of(tool) == 1


def test_a_failure_of_the_tool_took_its_place(make: Make, alice: User) -> None:
    tool = make("echo", calls_per_day=1)
    assert run(tool, alice, EXPLODE).error
    assert place_of(tool) == 1


def test_what_another_gate_refuses_gives_its_place_back(make: Make, alice: User) -> None:
    tool = make("echo", calls_per_day=1)
    assert run(tool, alice, tool_set={}).error
    assert place_of(tool) == 0
    assert run(tool, alice).success


def test_what_can_not_be_planned_takes_none(make: Make, alice: User) -> None:
    tool = make("rename", calls_per_day=1)
    assert run(tool, alice, "unplannable").error
    assert place_of(tool) == 0


def test_a_card_holds_its_place_until_it_is_decided(make: Make, alice: User) -> None:
    tool = make("rename", needs_approval=True, calls_per_day=1)
    draft = parked(tool, alice, "New")
    assert run(tool, alice).error
    drafts.dismiss_draft(actor_of(alice), draft.pk)
    assert place_of(tool) == 0
    second = parked(tool, alice, "New")
    done = confirm_draft(actor_of(alice), second.pk, expected_version=1, idempotency_key="k")
    assert done.state == DraftState.EXECUTED
    assert place_of(tool) == 1


def test_a_card_that_nobody_decides_gives_its_place_back(make: Make, alice: User) -> None:
    tool = make("rename", needs_approval=True, calls_per_day=1)
    parked(tool, alice, "New")
    ActionDraft.objects.update(expires_at=Now())
    assert drafts.expire_due_drafts() == 1
    assert place_of(tool) == 0


def test_a_limit_that_came_later_is_asked_when_a_card_is_confirmed(make: Make, alice: User) -> None:
    tool = make("rename", needs_approval=True)
    first, second = parked(tool, alice, "One"), parked(tool, alice, "Two")
    Tool.objects.filter(pk=tool.pk).update(calls_per_day=1)
    done = confirm_draft(actor_of(alice), first.pk, expected_version=1, idempotency_key="a")
    assert done.state == DraftState.EXECUTED
    with pytest.raises(CallDenied):
        confirm_draft(actor_of(alice), second.pk, expected_version=1, idempotency_key="b")
    assert place_of(tool) == 1


def test_a_lost_act_outside_keeps_its_place(make: Make, alice: User) -> None:
    tool = make("send", calls_per_day=1, config={"risk": 2})
    assert run(tool, alice, SLOW).call.status == CallStatus.OUTCOME_UNKNOWN
    assert place_of(tool) == 1


def test_a_decision_alone_takes_no_place(make: Make, alice: User) -> None:
    tool = make("echo", calls_per_day=1)
    arguments = arguments_for(tool.type)
    assert decide_only(tool, arguments, context_for(alice)).outcome == "allow"
    assert place_of(tool) == 0
    run(tool, alice)
    decision = decide_only(tool, arguments, context_for(alice))
    assert decision.decisive.reason_code == "tool_quota_exceeded"


@pytest.mark.django_db(transaction=True)
def test_racing_calls_never_exceed_the_limit_of_a_tool(make: Make, alice: User, bob: User) -> None:
    tool = make("echo", calls_per_day=5)
    users = [alice, bob] * 4
    outcomes = both_at_once(*[lambda user=user: run(tool, user) for user in users])
    assert sum(outcome.success for outcome in outcomes) == 5
    assert place_of(tool) == 5


@pytest.mark.django_db(transaction=True)
def test_racing_twins_take_one_place_of_a_tool(make: Make, alice: User) -> None:
    tool = make("rename", calls_per_day=3)
    both_at_once(*[lambda: run(tool, alice, "Once", idempotency_key="same") for _ in range(4)])
    assert place_of(tool) == 1


@pytest.mark.django_db(transaction=True)
def test_racing_decisions_give_one_place_back_once(make: Make, alice: User) -> None:
    tool = make("rename", needs_approval=True, calls_per_day=3)
    draft = parked(tool, alice, "New")
    parked(tool, alice, "Other")
    both_at_once(*[lambda: drafts.dismiss_draft(actor_of(alice), draft.pk) for _ in range(3)])
    assert place_of(tool) == 1


def test_the_console_and_the_api_set_it_and_the_audit_says_from_what_to_what(
    make: Make, operator: User
) -> None:
    tool = make("echo", calls_per_day=2)
    api = Api(operator)
    status, body = api("PATCH", f"/api/agent-tools/{tool.pk}/", {"calls_per_day": 7})
    assert (status, body["calls_per_day"]) == (200, 7)
    changed = AuditEvent.objects.get(action="config.changed", target_id=str(tool.pk))
    assert changed.metadata["before"] == {"calls_per_day": 2}
    assert changed.metadata["after"] == {"calls_per_day": 7}
    for wrong in (-1, 2**31, "7", None, 1.5):
        assert api("PATCH", f"/api/agent-tools/{tool.pk}/", {"calls_per_day": wrong})[0] == 400
    page = api.client.get(f"/admin/tools/tool/{tool.pk}/change/").content.decode()
    assert 'name="calls_per_day" value="7"' in page


def test_the_form_says_what_counts_and_how_much_is_used(
    client: Client, operator: User, make: Make
) -> None:
    client.force_login(operator)
    tool = make("echo", calls_per_day=5)
    run(tool, operator)
    page = client.get(reverse("admin:tools_tool_change", args=[tool.pk])).content.decode()
    assert "A card that waits holds its place" in page
    assert "1 / 5" in page
    free = make("echo")
    page = client.get(reverse("admin:tools_tool_change", args=[free.pk])).content.decode()
    assert "not counted: there is no limit" in page
