"""What asking costs: held before, settled once, counted to the person and to the run."""

import contextlib
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from agents.model_clients.errors import ModelTimeout, ModelUnreachable
from agents.model_clients.protocol import ModelRequest
from agents.models import Agent, ModelProfile, Run, RunStatus
from agents.runs.budgets import tokens_of
from agents.runs.finish import cancel_run
from agents.runs.start import TurnRequest, start_turn
from agents.testing import Hang, ScriptedClient, scripted_server
from config.base.models import User
from tests.agents.ask_model.conftest import (
    TASK,
    code_of,
    configure,
    costing,
    data_of,
    execute,
    used_today,
)
from tests.agents.conftest import Turn, asks, call, go_on, says
from tests.threads import both_at_once
from tests.tools.conftest import actor_of
from tools.budgets.limits import day_of
from tools.models import Tool, ToolCall, UserDay

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both,
    pytest.mark.filterwarnings("ignore"),
]  # what litellm's own code warns of


def wait_until(there: Callable[[], bool]) -> None:
    for _try in range(200):
        if there():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")


@pytest.mark.parametrize(
    ("line", "output", "questions"),
    [
        (costing("Done.", 100, 10), 10, 1),
        (ModelTimeout(), 0, 1),  # its prompt was sent
        (ModelUnreachable(), 0, 0),
    ],
)
def test_what_it_used_is_counted_once_to_person_and_run(
    alice: User,
    asked: ScriptedClient,
    turn: Turn,
    model: ScriptedClient,
    line: Any,
    output: int,
    questions: int,
) -> None:
    asked.script = [line]
    model.script = [asks(call("ask_model", TASK)), says("Done.")]
    run = turn(alice, "go")
    assert run.status == RunStatus.COMPLETED
    input_tokens = {0: 0, 1: 100 if output else tokens_of(asked.requests[0])}[questions]
    assert used_today(alice) == (input_tokens, output, 2 + questions)
    assert (run.input_tokens, run.output_tokens) == (input_tokens, output)


def test_what_it_costs_is_the_runs_too(
    alice: User, asked: ScriptedClient, turn: Turn, model: ScriptedClient
) -> None:
    asked.script = [costing("Done.", 1, 1, 0.25)]
    model.script = [asks(call("ask_model", TASK)), costing("Done.", 1, 1, 0.5)]
    assert turn(alice, "go").cost_usd == Decimal("0.75")
    assert UserDay.objects.get(user=alice).cost_usd == Decimal("0.75")


def test_a_budget_that_is_used_up_asks_nobody(
    alice: User, tool: Tool, asked: ScriptedClient, limit: Any
) -> None:
    limit(tokens_per_day=1_000)
    UserDay.objects.create(user=alice, day=day_of(timezone.now()), input_tokens=990)
    assert code_of(tool, alice, TASK) == "budget_exceeded"
    assert asked.requests == []
    assert used_today(alice)[0] == 990


def test_a_runs_own_budget_holds_for_both_of_its_models(
    alice: User, asked: ScriptedClient, turn: Turn, model: ScriptedClient, limit: Any
) -> None:
    limit(tokens_per_run=20_000)
    asked.script = [costing("Done.", 19_990, 0), "never said"]
    model.script = [asks(call("ask_model", TASK), call("ask_model", {"task": "Again."})), "no"]
    run = turn(alice, "go")
    assert len(asked.requests) == 1
    codes = ToolCall.objects.order_by("nth_in_run").values_list("status", "error_code")
    assert list(codes) == [("success", ""), ("error", "budget_exceeded")]
    assert (run.status, run.error_code) == (RunStatus.FAILED, "budget_exceeded")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("budget", ["tokens_per_day", "tokens_per_run"])
def test_racing_questions_take_no_more_than_there_is(
    alice: User, tool: Tool, asked: ScriptedClient, limit: Any, guide: Agent, budget: str
) -> None:
    """Each needs most of it, and both begin before either is answered."""
    text = {"task": "Count.", "text": "word " * 600}  # about a thousand tokens of three bytes
    limit(**{budget: 1_800})
    run = Run.objects.create(owner=alice, agent=guide, status=RunStatus.RUNNING, origin="api")
    both = threading.Barrier(2, timeout=5)
    seen: list[str] = []

    def answer(_request: ModelRequest) -> str:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.5)
        return "Done."

    def ask() -> None:
        actor = actor_of(User.objects.get(pk=alice.pk), run_id=run.pk)
        outcome = execute(tool, alice, text, actor=actor)
        seen.append(outcome.error.code if outcome.error else "answered")

    asked.script = [answer, answer]
    both_at_once(ask, ask)
    assert sorted(seen) == ["answered", "budget_exceeded"]
    assert len(asked.requests) == 1


@pytest.mark.django_db(transaction=True)
def test_it_speaks_with_a_server_within_its_limits(
    alice: User, tool: Tool, helper: ModelProfile
) -> None:
    configure(tool, max_output_tokens=33)
    with scripted_server([costing("About a dog.", 12, 3)]) as (url, script):
        ModelProfile.objects.filter(pk=helper.pk).update(base_url=url)
        assert data_of(tool, alice, TASK)["text"] == "About a dog."
    assert script.bodies[0]["max_tokens"] == 33
    assert used_today(alice) == (12, 3, 1)


@pytest.mark.django_db(transaction=True)
def test_cancelling_cuts_the_request_and_counts_its_prompt(
    alice: User, guide: Agent, tool: Tool, helper: ModelProfile, model: ScriptedClient
) -> None:
    model.script = [asks(call("ask_model", TASK)), "never said"]
    run = start_turn(alice, TurnRequest(text="go", enable_tools=True))
    with scripted_server([Hang()]) as (url, script):
        ModelProfile.objects.filter(pk=helper.pk).update(base_url=url)

        def stop() -> None:
            wait_until(lambda: bool(script.bodies))
            cancel_run(actor_of(alice), run.pk)

        both_at_once(lambda: go_on(run), stop)
    run.refresh_from_db()
    assert (run.status, ToolCall.objects.get().status) == (RunStatus.CANCELLED, "cancelled")
    tokens, output, _questions = used_today(alice)
    assert tokens > 0
    assert (run.input_tokens, run.output_tokens) == (tokens, output)
