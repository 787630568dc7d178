"""Tokens and money of a run and of a person's day: asked for before the model is, told plainly."""

from decimal import Decimal
from typing import Any

import pytest
from django.db.models import QuerySet
from django.utils import timezone

from agents.model_clients.errors import ModelUnreachable
from agents.model_clients.protocol import ModelReply, Usage
from agents.models import Agent, Conversation, Message, MessageRole, ResponseStatus, Run, RunStatus
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.response import build_response
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.models import User
from tests.agents.conftest import Turn, asks, call, go_on, says
from tests.threads import both_at_once
from tools.budgets.limits import day_of, limits_of
from tools.budgets.usage import hold_tokens
from tools.models import ToolCall, UserBudget, UserDay

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def costing(reply: ModelReply, *, tokens: int = 0, usd: float | None = None) -> ModelReply:
    return ModelReply(reply.text, reply.tool_calls, Usage(tokens, 0, usd))


def reckon(n: int) -> ModelReply:
    return asks(call("calculator", {"expression": str(n)}))


def used_today(user: User) -> UserDay:
    return UserDay.objects.get(user=user)


def spend(user: User, **values: Any) -> None:
    UserDay.objects.create(user=user, day=day_of(timezone.now()), **values)


def error_of(run: Run) -> tuple[str, str, str]:
    response = build_response(run)
    return response["status"], response["error"]["code"], response["error"]["message"]


def test_what_each_reply_costs_is_counted_to_its_owners_day(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [
        ModelReply("", reckon(1).tool_calls, Usage(100, 10, 0.25)),
        ModelReply("1", usage=Usage(200, 5, 0.5)),
    ]
    turn(alice, "1?")
    day = used_today(alice)
    assert (day.input_tokens, day.output_tokens, day.cost_usd) == (300, 15, Decimal("0.75"))
    assert (day.model_calls, day.calls) == (2, 1)


def test_deleting_the_conversation_gives_nothing_back(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [costing(says("Hello."), tokens=100)]
    turn(alice, "hi", tools=False)
    Conversation.objects.all().delete()
    assert used_today(alice).tokens == 100


def test_a_day_that_is_used_up_ends_the_run_before_the_model_is_asked(
    alice: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(tokens_per_day=10_000)
    spend(alice, input_tokens=9_000, output_tokens=990)
    model.script = [says("never said")]
    run = turn(alice, "hi")
    assert (run.status, run.response_status) == (RunStatus.FAILED, ResponseStatus.UNAVAILABLE)
    status, code, message = error_of(run)
    assert (status, code) == ("UNAVAILABLE", "budget_exceeded")
    assert "9,990 of 10,000" in message
    assert "renews on" in message
    assert not model.requests
    assert Message.objects.get(run=run, role=MessageRole.NOTICE).text == message
    assert used_today(alice).tokens == 9_990


def test_the_conversation_goes_on_when_the_budget_does(
    alice: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(tokens_per_day=1)
    run = turn(alice, "hi")
    UserBudget.objects.create(user=alice, tokens_per_day=0)
    model.script = [says("Here I am.")]
    again = turn(alice, "again", conversation_id=run.conversation_id)
    assert build_response(again)["answer"] == "Here I am."


def test_money_that_is_spent_ends_the_run(
    alice: User, bob: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(usd_per_day=Decimal(1))
    model.script = [costing(says("Dear."), usd=1.5), says("Hello Bob.")]
    assert turn(alice, "hi", tools=False).status == RunStatus.COMPLETED
    run = turn(alice, "hi", tools=False)
    assert error_of(run)[:2] == ("UNAVAILABLE", "budget_exceeded")
    assert "1.00 USD" in error_of(run)[2]
    assert turn(bob, "hi", tools=False).status == RunStatus.COMPLETED


@pytest.mark.parametrize(
    ("limits", "cost"),
    [({"tokens_per_run": 5_000}, {"tokens": 4_900}), ({"usd_per_run": Decimal(1)}, {"usd": 1.0})],
)
def test_a_run_that_has_used_its_own_budget_ends_in_the_middle(
    alice: User, turn: Turn, model: ScriptedClient, limit: Any, limits: Any, cost: Any
) -> None:
    limit(**limits)
    model.script = [costing(reckon(1), **cost), says("never said")]
    run = turn(alice, "go")
    assert error_of(run)[:2] == ("UNAVAILABLE", "budget_exceeded")
    assert "This turn's budget" in error_of(run)[2]
    assert len(model.requests) == 1
    assert ToolCall.objects.count() == 1  # what was done stays done
    model.script = [says("Fresh.")]
    assert turn(alice, "again", conversation_id=run.conversation_id).status == RunStatus.COMPLETED


def test_no_limit_is_none(alice: User, turn: Turn, model: ScriptedClient, limit: Any) -> None:
    limit(tokens_per_day=0, tokens_per_run=0, usd_per_day=Decimal(0), usd_per_run=Decimal(0))
    spend(alice, input_tokens=10**12, cost_usd=10**6)
    model.script = [says("Hello.")]
    run = turn(alice, "hi")
    assert (run.status, run.warnings) == (RunStatus.COMPLETED, [])


def test_a_model_that_fails_costs_nothing(alice: User, turn: Turn, model: ScriptedClient) -> None:
    model.script = [ModelUnreachable()]
    turn(alice, "hi")
    assert used_today(alice).tokens == 0


def test_a_run_cancelled_while_it_is_asked_has_cost_its_prompt(
    alice: User, guide: Agent, model: ScriptedClient
) -> None:
    run = start_turn(alice, TurnRequest(text="hi"))
    fence = claim_run(run.pk, "first")
    assert fence

    def lose(request: object) -> ModelReply:
        Run.objects.filter(pk=run.pk).update(revision=fence.revision + 1)
        return says("late")

    model.script = [lose]
    drive(fence)
    assert used_today(alice).input_tokens > 50


@pytest.mark.django_db(transaction=True)
def test_runs_at_once_share_one_budget(alice: User, limit: Any) -> None:
    limit(tokens_per_day=1_000)
    now = timezone.now()
    holds = both_at_once(
        *[lambda: hold_tokens(alice, 300, limits_of(alice), now=now) for _ in range(6)]
    )
    assert sum(hold is not None for hold in holds) == 3
    assert used_today(alice).tokens == 900


def test_who_begins_the_day_is_not_the_limit_of_who_comes_at_the_same_moment(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = QuerySet.update

    def too_late(rows: QuerySet[Any], **changes: Any) -> int:
        changed = update(rows, **changes)
        if not changed:  # there was no row; now somebody else has made it
            UserDay.objects.get_or_create(user=alice, day=day_of(timezone.now()))
        return changed

    monkeypatch.setattr(QuerySet, "update", too_late)
    assert hold_tokens(alice, 300, limits_of(alice), now=timezone.now())
    assert used_today(alice).tokens == 300


def test_most_of_a_budget_used_is_a_warning_of_the_answer(
    alice: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(calls_per_day=10, tokens_per_run=100_000, usd_per_day=Decimal(10))
    spend(alice, calls=7, cost_usd=5)
    model.script = [reckon(1), costing(says("1"), tokens=80_000, usd=2.0)]
    run = turn(alice, "1?")
    assert run.warnings[0] == "Most of this turn's budget is used: 80,000 of 100,000 tokens."
    assert run.warnings[1].startswith("Most of today's budget is used: 8 of 10 tool calls. It ren")
    assert len(run.warnings) == 2  # 7 of 10 USD is not most
    assert build_response(run)["warnings"] == run.warnings


@pytest.mark.parametrize("calls", [2, 9])
def test_a_budget_that_is_used_up_is_told_as_such(
    calls: int, alice: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(calls_per_day=3)
    spend(alice, calls=calls)
    model.script = [reckon(1), says("1")]
    run = turn(alice, "1?")
    assert run.warnings[-1].startswith("Today's budget is used up: 3 tool calls. It renews")


def test_a_budget_of_one_is_told_in_the_singular(
    alice: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(calls_per_day=1)
    model.script = [reckon(1), says("1")]
    run = turn(alice, "1?")
    assert run.warnings[-1].startswith("Today's budget is used up: 1 tool call. It renews")


def test_calls_beyond_the_quota_are_told_to_the_model_which_answers(
    alice: User, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(calls_per_run=1)
    model.script = [reckon(1), reckon(2), says("Only the first.")]
    run = turn(alice, "go")
    assert run.status == RunStatus.COMPLETED
    told = model.requests[2].messages[-1].content
    assert '"code": "quota_exceeded"' in told
    assert "At most 1 tool call is allowed in one run; it is used." in told
    decision = build_response(run)["data"]["decisions"][0]
    assert (decision["gate"], decision["reason_code"]) == ("quota", "run_quota_exceeded")


def test_when_it_renews_is_told_in_the_readers_own_zone(
    alice: User, guide: Agent, model: ScriptedClient, limit: Any
) -> None:
    limit(tokens_per_day=1)
    alice.time_zone = "Asia/Shanghai"
    alice.save()
    run = go_on(start_turn(alice, TurnRequest(text="hi")))
    assert "8 a.m." in error_of(run)[2]
