"""What a person's day pays for before a reply is there, and for what never became one."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from agents.model_clients.protocol import ModelReply, Usage
from agents.models import Agent, ModelProfile, RunEvent, RunStatus
from agents.runs import pieces
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.fence import RunFence
from agents.runs.start import TurnRequest, start_turn
from agents.testing import Drop, Hang, HttpError, Raw, ScriptedClient, ServerScript, scripted_server
from agents.testing.script import Line
from config.base.errors import LeaseLost
from config.base.models import User
from tests.agents.conftest import Turn, says
from tests.agents.hostile_servers import SSE, chunk
from tests.agents.test_runs_budgets import error_of, reckon, used_today
from tests.threads import both_at_once
from tools.budgets.limits import limits_of
from tools.budgets.usage import Hold, hold_tokens, settle_hold
from tools.models import UserBudget, UserDay

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both,
    pytest.mark.filterwarnings("ignore"),  # what litellm's own code warns of
]

PRICES = {"input_price_usd": 100, "output_price_usd": 1000, "max_output_tokens": 1_000}
STORY = "Once upon a time there was a king. "


@contextmanager
def priced(agent: Agent, *lines: Line, **fields: Any) -> Iterator[ServerScript]:
    """The agent speaks over HTTP with a dear model."""
    with scripted_server(list(lines)) as (base_url, script):
        profile = ModelProfile.objects.create(
            name="dear", model="m", base_url=base_url, **{"retries": 0, **PRICES, **fields}
        )
        Agent.objects.filter(pk=agent.pk).update(model_profile=profile)
        yield script


def streamed(*parts: bytes, pause_seconds: float = 0.0) -> Raw:
    return Raw(parts, content_type=SSE, pause_seconds=pause_seconds)


def told(text: str) -> bytes:
    return chunk({"content": text})


def price_of(day: UserDay) -> Decimal:
    return Decimal(day.input_tokens * 100 + day.output_tokens * 1000) / 1_000_000


def test_a_stopped_run_has_cost_what_was_said_till_then(alice: User, guide: Agent) -> None:
    run = start_turn(alice, TurnRequest(text="a story"))

    def stopped(fence: RunFence) -> None:
        if RunEvent.objects.filter(run=run, type="text.delta").exists():
            raise LeaseLost

    line = streamed(told(STORY * 100), told("."), pause_seconds=9)
    with priced(guide, line), pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_CHECK_SECONDS", 0)
        patch.setattr(RunFence, "look_up", stopped)
        fence = claim_run(run.pk, "first")
        assert fence
        drive(fence)
    day = used_today(alice)
    assert day.input_tokens > 100
    assert 500 < day.output_tokens < 1_500
    assert day.model_calls == 1
    assert day.cost_usd == pytest.approx(price_of(day), rel=Decimal("0.5"))


def test_an_answer_that_breaks_off_has_cost_what_was_said(
    alice: User, guide: Agent, turn: Turn
) -> None:
    """Both attempts at it, though the first was taken back."""
    broken = Drop(ModelReply(STORY * 100), pieces=10)
    with priced(guide, broken, broken, retries=1):
        run = turn(alice, "a story")
    assert run.status == RunStatus.FAILED
    day = used_today(alice)
    assert day.output_tokens > 20
    assert day.cost_usd > 0
    assert day.model_calls == 1


def test_a_first_attempt_counts_beside_the_reply_of_the_second(
    alice: User, guide: Agent, turn: Turn
) -> None:
    usage = Usage(4_000, 5)
    broken = Drop(ModelReply(STORY * 100), pieces=10)
    with priced(guide, broken, ModelReply("Yes.", usage=usage), retries=1):
        run = turn(alice, "a story")
    day = used_today(alice)
    assert (run.status, run.input_tokens, run.output_tokens) == (RunStatus.COMPLETED, 4_000, 5)
    assert day.input_tokens > 4_100
    assert day.output_tokens > 5


@pytest.mark.parametrize("line", [HttpError(500), HttpError(429), Hang()])
def test_a_server_that_does_not_answer_costs_nothing(
    line: Line, alice: User, guide: Agent, turn: Turn
) -> None:
    with priced(guide, line, first_byte_timeout_seconds=1):
        turn(alice, "a story")
    day = used_today(alice)
    assert (day.tokens, day.cost_usd, day.model_calls) == (0, Decimal(0), 0)


def test_a_long_reply_and_its_price_are_held_while_the_model_is_asked(
    alice: User, guide: Agent, turn: Turn
) -> None:
    meanwhile: list[UserDay] = []

    def look_up(fence: RunFence) -> None:
        meanwhile.append(used_today(alice))

    line = streamed(b": \n\n", told("Yes."), chunk({}, "stop"), pause_seconds=0.4)
    with priced(guide, line), pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_CHECK_SECONDS", 0)
        patch.setattr(RunFence, "look_up", look_up)
        run = turn(alice, "hi")
    held, after = meanwhile[0], used_today(alice)
    assert held.output_tokens == 1_000
    assert held.cost_usd == price_of(held)
    assert after.output_tokens == run.output_tokens < 10
    assert after.cost_usd == run.cost_usd


@pytest.mark.django_db(transaction=True)
def test_runs_at_once_exceed_a_budget_of_money_by_one_reply_at_most(
    alice: User, limit: Any
) -> None:
    limit(usd_per_day=Decimal(1), tokens_per_day=10_000)
    now = timezone.now()

    def hold_dear() -> Hold | None:
        limits, price = limits_of(alice), Decimal("0.9")
        return hold_tokens(alice, 100, limits, now=now, output_tokens=4_000, cost_usd=price)

    holds = both_at_once(*[hold_dear] * 6)
    given = [hold for hold in holds if hold is not None]
    assert len(given) == 2
    for hold in given:
        settle_hold(hold, input_tokens=90, output_tokens=10, cost_usd=Decimal("0.1"))
    day = used_today(alice)
    assert (day.input_tokens, day.output_tokens, day.cost_usd) == (180, 20, Decimal("0.2"))


def test_a_budget_that_is_lowered_counts_for_the_next_step_of_a_run_under_way(
    alice: User, turn: Turn, model: ScriptedClient
) -> None:
    def lower(request: object) -> ModelReply:
        UserBudget.objects.create(user=alice, tokens_per_day=10)
        return reckon(1)

    model.script = [lower, says("never said")]
    assert error_of(turn(alice, "go"))[:2] == ("UNAVAILABLE", "budget_exceeded")
    assert len(model.requests) == 1
