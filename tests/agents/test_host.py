"""The RunHost: claims runs, drives them in bounded threads, renews its leases, lets go at the end.

Hosts here are real, with threads of their own; the model waits where a test says so.
"""

import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db.models.functions import Now

from agents import actions
from agents import host as hosting
from agents.host import RunHost
from agents.model_clients.protocol import ModelRequest
from agents.models import Agent, Message, MessageRole, Run, RunStatus
from agents.runs.claim import claim_run, claim_runs
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.wake import wake
from tests.agents.cards import make_document
from tests.agents.conftest import asks, call, says
from tests.processes.waiting import PATIENCE_SECONDS, until
from tools.drafts import dismiss_draft
from tools.enums import DraftState
from tools.models import ActionDraft

pytestmark = [pytest.mark.django_db(transaction=True)]


def finished(run: Run) -> Run:
    until(lambda: Run.objects.get(pk=run.pk).is_finished)
    run.refresh_from_db()
    return run


def start(user: User, **values: Any) -> Run:
    return start_turn(user, TurnRequest(text="hi", **values))


class Gate:
    """The model's answer waits in it until the test opens it; `inside` counts who waits."""

    def __init__(self) -> None:
        self.inside = self.most = 0
        self._lock = threading.Lock()
        self._open = threading.Event()

    def __call__(self, _request: ModelRequest) -> Any:
        with self._lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        self._open.wait(PATIENCE_SECONDS)
        with self._lock:
            self.inside -= 1
        return says("Hello.")

    def open(self) -> None:
        self._open.set()


@pytest.fixture(autouse=True)
def quick(settings: Any) -> None:
    """No test waits for a sweep that it does not want, nor for long for one that it does."""
    settings.RUN_SWEEP_SECONDS = 60
    settings.RUN_RENEW_SECONDS = 60


type Hosts = Callable[[], RunHost]


def _is_idle(host: RunHost) -> bool:
    return not host._held


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Makes started hosts; they are stopped, and their threads gone, when the test ends."""
    made: list[RunHost] = []

    def make() -> RunHost:
        made.append(RunHost())
        made[-1].start()
        return made[-1]

    yield make
    for host in made:
        host.stop()
        until(partial(_is_idle, host))
        for thread in host._threads:
            thread.join(PATIENCE_SECONDS)
            assert not thread.is_alive()


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open()


@pytest.mark.both
def test_a_run_is_driven_as_soon_as_it_is_there(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts
) -> None:
    model.script = [says("Hello.")]
    hosts()
    run = finished(start(alice))
    assert run.status == RunStatus.COMPLETED
    assert Message.objects.get(role=MessageRole.ASSISTANT).text == "Hello."
    assert (run.lease_owner, run.lease_expires_at) == ("", None)


def test_what_was_there_before_is_found_by_the_sweep(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, settings: Any
) -> None:
    settings.RUN_SWEEP_SECONDS = 0.05
    model.script = [says("Hello.")]
    run = start(alice)
    hosts()
    assert finished(run).status == RunStatus.COMPLETED


def test_runs_are_driven_side_by_side(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, gate: Gate
) -> None:
    model.script = [gate] * 3
    hosts()
    runs = [start(alice) for _ in range(3)]
    until(lambda: gate.inside == 3)
    gate.open()
    assert {finished(run).status for run in runs} == {RunStatus.COMPLETED}


def test_no_more_at_once_than_it_has_threads(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, gate: Gate, settings: Any
) -> None:
    settings.RUN_HOST_THREADS = 2
    model.script = [gate] * 5
    host = hosts()
    runs = [start(alice) for _ in range(5)]
    until(lambda: gate.inside == 2)
    for _ in range(3):
        wake()
    assert Run.objects.filter(status=RunStatus.RUNNING).count() == 2
    assert len(host._held) == 2
    gate.open()
    assert {finished(run).status for run in runs} == {RunStatus.COMPLETED}
    assert gate.most == 2


@pytest.mark.both
def test_of_several_hosts_one_drives_a_run(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts
) -> None:
    model.script = [says("Hello.") for _ in range(6)]
    for _ in range(3):
        hosts()
    runs = [start(alice) for _ in range(6)]
    assert {finished(run).status for run in runs} == {RunStatus.COMPLETED}
    assert len(model.requests) == 6
    assert Message.objects.filter(role=MessageRole.ASSISTANT).count() == 6


def test_a_lease_is_renewed_while_the_model_thinks(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, gate: Gate, settings: Any
) -> None:
    settings.RUN_RENEW_SECONDS = 0.05
    model.script = [gate]
    host = hosts()
    run = start(alice)
    until(lambda: gate.inside)
    soon = Now() + timedelta(seconds=1)
    Run.objects.update(lease_expires_at=soon)
    before = Run.objects.get().lease_expires_at
    assert before is not None
    until(lambda: Run.objects.filter(lease_expires_at__gt=before + timedelta(seconds=10)).exists())
    assert Run.objects.get().lease_owner == host.owner
    gate.open()
    assert finished(run).status == RunStatus.COMPLETED


def test_a_run_whose_process_died_is_taken_over(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts
) -> None:
    run = start(alice)
    assert claim_run(run.pk, "somebody dead")
    model.script = [says("Hello.")]
    hosts()
    wake()
    time.sleep(0.1)
    assert Run.objects.get().lease_owner == "somebody dead"  # its lease holds still
    Run.objects.update(lease_expires_at=Now() - timedelta(seconds=1))
    wake()
    assert finished(run).status == RunStatus.COMPLETED
    assert run.revision == 2


def test_stopping_gives_the_run_to_whoever_comes(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, gate: Gate
) -> None:
    """The model still thinks; what it says then is nobody's."""
    model.script = [gate]
    first = hosts()
    run = start(alice)
    until(lambda: gate.inside)
    began = time.monotonic()
    first.stop()
    assert time.monotonic() - began < hosting.STOP_SECONDS + 1
    model.script = [says("From the second.")]
    hosts()
    wake()
    assert finished(run).status == RunStatus.COMPLETED
    gate.open()
    until(lambda: not first._held)
    assert Message.objects.get(role=MessageRole.ASSISTANT).text == "From the second."


def test_between_steps_a_stopping_host_gives_the_run_back(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, gate: Gate
) -> None:
    def calculate(request: ModelRequest) -> Any:
        gate(request)
        return asks(call("calculator", {"expression": "6*7"}))

    model.script = [calculate, says("It is 42.")]
    first = hosts()
    run = start(alice, enable_tools=True)
    until(lambda: gate.inside)
    first._stopping.set()
    gate.open()
    until(lambda: not first._held)
    assert not Run.objects.get().is_finished
    first.stop()
    hosts()
    wake()
    assert finished(run).status == RunStatus.COMPLETED
    assert run.tools == ["calculator"]
    assert len(model.requests) == 2  # the first step was not asked for again


def test_a_stopped_host_claims_nothing(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts
) -> None:
    hosts().stop()
    run = start(alice)
    wake()
    time.sleep(0.1)
    run.refresh_from_db()
    assert run.status == RunStatus.QUEUED


def test_a_decided_card_sets_the_run_going_again(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts
) -> None:
    notes = make_document(alice)
    delete = call("document", {"action": "delete", "id": str(notes.pk)})
    model.script = [asks(delete), says("As you wish.")]
    hosts()
    run = start(alice, enable_tools=True)
    until(lambda: Run.objects.filter(status=RunStatus.WAITING).exists())
    actions.dismiss(Actor(user=alice, origin=Origin.PAGE), ActionDraft.objects.get().pk)
    assert finished(run).status == RunStatus.COMPLETED


def test_a_decision_that_nobody_was_told_of_is_found(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, settings: Any
) -> None:
    """The process died between the decision and the wake-up."""
    settings.RUN_SWEEP_SECONDS = 0.05
    notes = make_document(alice)
    delete = call("document", {"action": "delete", "id": str(notes.pk)})
    model.script = [asks(delete), says("As you wish.")]
    hosts()
    run = start(alice, enable_tools=True)
    until(lambda: Run.objects.filter(status=RunStatus.WAITING).exists())
    dismiss_draft(Actor(user=alice, origin=Origin.PAGE), ActionDraft.objects.get().pk)
    assert finished(run).status == RunStatus.COMPLETED


def test_the_sweep_lets_cards_expire_and_the_run_go_on(
    alice: User, guide: Agent, model: ScriptedClient, hosts: Hosts, settings: Any
) -> None:
    settings.RUN_SWEEP_SECONDS = 0.05
    notes = make_document(alice)
    delete = call("document", {"action": "delete", "id": str(notes.pk)})
    model.script = [asks(delete), says("Nobody decided.")]
    hosts()
    run = start(alice, enable_tools=True)
    until(lambda: Run.objects.filter(status=RunStatus.WAITING).exists())
    ActionDraft.objects.update(expires_at=Now() - timedelta(seconds=1))
    assert finished(run).status == RunStatus.COMPLETED
    draft = ActionDraft.objects.get()
    assert (draft.state, draft.reason) == (DraftState.DISMISSED, "expired")
    assert '"code": "expired"' in model.requests[1].messages[-1].content


def test_a_round_that_fails_does_not_end_the_host(
    alice: User,
    guide: Agent,
    model: ScriptedClient,
    hosts: Hosts,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    real, failures = claim_runs, iter([RuntimeError("the database is away")])

    def fail_once(owner: str, *, limit: int) -> Any:
        for failure in failures:
            raise failure
        return real(owner, limit=limit)

    monkeypatch.setattr(hosting, "claim_runs", fail_once)
    model.script = [says("Hello.")]
    hosts()
    run = start(alice)
    until(lambda: "a round of the run host failed" in caplog.text)
    wake()
    assert finished(run).status == RunStatus.COMPLETED
