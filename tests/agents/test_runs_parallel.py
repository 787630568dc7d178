"""Reads of one step are made at the same time; writes keep their place; every fence holds."""

import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.utils import translation

from agents.model_clients.protocol import ToolRequest
from agents.models import Agent, AgentTool, Run, RunEvent, RunStatus, RunStep
from agents.runs import parallel
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.finish import cancel_run
from agents.runs.response import build_response
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import Project, User
from tests.agents.conftest import asks, call, go_on, says
from tests.threads import PATIENCE_SECONDS
from tests.tools.factories import ToolFactory
from tools import testing
from tools.enums import CallStatus
from tools.models import ToolCall
from tools.testing import Peer, fake_types

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]

type OnExecution = Callable[[Callable[[str], object]], None]


class Killed(BaseException):
    """What kill -9 looks like from within."""


@pytest.fixture
def peer() -> Iterator[Peer]:
    with fake_types() as peer:
        yield peer


@pytest.fixture
def reader(peer: Peer, project: Project) -> Agent:
    """An agent with a read, a write, and a read that a person has to approve."""
    agent = Agent.objects.create(slug="reader", name="Reader")
    for slug, kind, approval in (
        ("echo", "fake_echo", False),
        ("rename", "fake_rename", False),
        ("asked", "fake_echo", True),
    ):
        tool = ToolFactory.create(slug=slug, type=kind, needs_approval=approval)
        AgentTool.objects.create(agent=agent, tool=tool)
    return agent


@pytest.fixture
def on_execution(monkeypatch: pytest.MonkeyPatch) -> OnExecution:
    """Called with the word of each fake call, in the thread that makes it."""

    def install(act: Callable[[str], object]) -> None:
        original = testing.fail_by

        def meanwhile(word: str) -> None:
            act(word)
            original(word)

        monkeypatch.setattr(testing, "fail_by", meanwhile)

    return install


def echo(word: str, *, id_: str = "1", tool: str = "echo") -> ToolRequest:
    return call(tool, {"text": word}, id_=id_)


def rename(name: str) -> ToolRequest:
    return call("rename", {"project": "demo", "name": name}, id_="w")


def begin(user: User) -> Run:
    return start_turn(user, TurnRequest(text="go", enable_tools=True, agent="reader"))


def results_told(model: ScriptedClient) -> list[str]:
    return [m.content for m in model.requests[-1].messages if m.role == "tool"]


def test_reads_are_made_at_the_same_time_and_told_in_their_order(
    alice: User, reader: Agent, model: ScriptedClient, on_execution: OnExecution
) -> None:
    together = threading.Barrier(3)
    threads: set[str] = set()

    def meet(word: str) -> None:
        threads.add(str(threading.get_ident()))
        together.wait(PATIENCE_SECONDS)

    on_execution(meet)
    words = ["a", "b", "c"]
    model.script = [asks(*[echo(word, id_=word) for word in words]), says("Done.")]
    run = go_on(begin(alice))
    assert run.status == RunStatus.COMPLETED
    assert len(threads) == 3
    assert str(threading.get_ident()) not in threads
    for word, told in zip(words, results_told(model), strict=True):
        assert f'"text": "{word}"' in told
    calls = ToolCall.objects.filter(run_id=run.pk)
    assert {(one.status, one.nth_in_run) for one in calls} == {("success", n) for n in (1, 2, 3)}
    events = list(RunEvent.objects.filter(run=run).values_list("seq", "type"))
    assert [seq for seq, _type in events] == list(range(1, len(events) + 1))
    assert [kind for _seq, kind in events].count("tool.finished") == 3


def test_a_write_waits_for_the_reads_before_it_and_those_after_it_wait_too(
    alice: User, reader: Agent, model: ScriptedClient, peer: Peer
) -> None:
    step = asks(echo("a"), echo("b"), rename("One"), rename("Two"), echo("c"), echo("d"))
    model.script = [step, says("Done.")]
    assert go_on(begin(alice)).status == RunStatus.COMPLETED
    assert set(peer.executed[:2]) == {"a", "b"}
    assert peer.executed[2:4] == ["One", "Two"]
    assert set(peer.executed[4:]) == {"c", "d"}


def test_one_that_fails_stops_no_other(alice: User, reader: Agent, model: ScriptedClient) -> None:
    bad = [echo("explode"), echo("a"), call("nothing", {}), call("echo", None), call("echo", {})]
    model.script = [asks(*bad, echo("b")), says("Done.")]
    assert go_on(begin(alice)).status == RunStatus.COMPLETED
    assert ['"success": true' in told for told in results_told(model)] == [
        False, True, False, False, False, True,
    ]  # fmt: skip


def test_one_that_waits_for_a_person_lets_the_others_end(
    alice: User, reader: Agent, model: ScriptedClient
) -> None:
    model.script = [asks(echo("a"), echo("b", tool="asked"), echo("c"))]
    run = go_on(begin(alice))
    assert run.status == RunStatus.WAITING
    assert build_response(run)["status"] == "NEEDS_CONFIRMATION"
    assert sorted(RunStep.objects.get(run=run).results) == ["0", "2"]


def test_cancelling_ends_the_driver_at_once_and_nothing_more_is_written(
    alice: User,
    reader: Agent,
    model: ScriptedClient,
    on_execution: OnExecution,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parallel, "LOOK_UP_SECONDS", 0.05)
    model.script = [asks(echo("quick"), echo("slow"), echo("slower"))]
    run = begin(alice)
    released, waiting = threading.Event(), threading.Semaphore(0)

    def hang(word: str) -> None:
        if word != "quick":
            waiting.release()
            released.wait(PATIENCE_SECONDS)

    on_execution(hang)
    before = set(threading.enumerate())
    driver = threading.Thread(target=_drive_and_close, args=(run,))
    driver.start()
    for _reader in range(2):
        assert waiting.acquire(timeout=PATIENCE_SECONDS)
    cancel_run(Actor(user=alice, origin=Origin.PAGE), run.pk)
    driver.join(PATIENCE_SECONDS)
    assert not driver.is_alive()  # though two reads still hang

    events = RunEvent.objects.filter(run=run).count()
    released.set()
    for left in set(threading.enumerate()) - before:
        left.join(PATIENCE_SECONDS)
    run.refresh_from_db()
    assert run.status == RunStatus.CANCELLED
    assert RunEvent.objects.filter(run=run).count() == events
    assert not ToolCall.objects.open().exists()
    slow = ToolCall.objects.filter(run_id=run.pk, status=CallStatus.CANCELLED)
    assert slow.count() >= 2


def _drive_and_close(run: Run) -> None:
    try:
        go_on(run)
    finally:
        connection.close()


def test_what_a_killed_driver_had_read_is_kept_and_the_rest_is_read_by_the_next(
    alice: User, reader: Agent, model: ScriptedClient, on_execution: OnExecution, peer: Peer
) -> None:
    model.script = [asks(echo("a"), echo("b"), echo("c")), says("Done.")]
    run = begin(alice)
    dying = [True]

    def die(word: str) -> None:
        if word == "b" and dying.pop():
            raise Killed

    on_execution(die)
    fence = claim_run(run.pk, "dying")
    assert fence
    before = set(threading.enumerate())
    with pytest.raises(Killed):
        drive(fence)
    for left in set(threading.enumerate()) - before:
        left.join(PATIENCE_SECONDS)
    fence.let_go()
    dying.append(False)
    assert go_on(run).status == RunStatus.COMPLETED
    assert ToolCall.objects.filter(run_id=run.pk).count() == 3
    assert ['"success": true' in told for told in results_told(model)] == [True] * 3
    started = RunEvent.objects.filter(run=run, type="tool.started")
    assert started.count() == 3


def test_without_a_free_thread_they_are_read_one_after_the_other(
    alice: User, reader: Agent, model: ScriptedClient, peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_slots", threading.BoundedSemaphore(1))
    parallel._slots.acquire()
    model.script = [asks(echo("a"), echo("b")), says("Done.")]
    assert go_on(begin(alice)).status == RunStatus.COMPLETED
    assert peer.executed == ["a", "b"]


def test_threads_are_given_back(alice: User, reader: Agent, model: ScriptedClient) -> None:
    before = set(threading.enumerate())
    for _turn in range(5):
        model.script = [asks(*[echo(str(n)) for n in range(6)]), says("Done.")]
        assert go_on(begin(alice)).status == RunStatus.COMPLETED
    for left in set(threading.enumerate()) - before:
        left.join(PATIENCE_SECONDS)
    assert parallel._take_slots(100) == 8
    for _slot in range(8):
        parallel._slots.release()


def test_jobs_run_in_the_language_of_who_asked() -> None:
    with translation.override("zh-hans"):
        said = dict(parallel.run_together([translation.get_language] * 3, look_up=lambda: None))
    assert said == {0: "zh-hans", 1: "zh-hans", 2: "zh-hans"}
