"""Cards of one step decided one by one: every order, every kind of decision, any process."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import permutations

import pytest
from django.db.models.functions import Now

from agents import actions
from agents.model_clients.protocol import ToolRequest
from agents.models import Agent, AgentTool, ResponseStatus, Run, RunEvent, RunStatus, RunStep
from agents.receipts import write_missing_receipts
from agents.runs.claim import claim_run
from agents.runs.drive import drive
from agents.runs.finish import cancel_run
from agents.runs.response import build_response
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import Project, User
from tests.agents.conftest import asks, call, says
from tests.factories import ProjectFactory
from tests.tools.api import Api, error_of
from tests.tools.factories import ToolFactory
from tools.drafts import expire_due_drafts
from tools.enums import DraftState
from tools.errors import DraftExpired
from tools.models import ActionDraft, Tool, ToolCall
from tools.testing import Peer, fake_types

pytestmark = [pytest.mark.django_db, pytest.mark.both]

SLUGS = ("one", "two", "three")


@pytest.fixture
def peer() -> Iterator[Peer]:
    with fake_types() as peer:
        yield peer


@pytest.fixture
def projects(alice: User) -> list[Project]:
    return [ProjectFactory.create(slug=slug, name=slug) for slug in SLUGS]


@pytest.fixture
def run(alice: User, peer: Peer, projects: list[Project], model: ScriptedClient) -> Run:
    """One step asked for three renames; nobody has decided yet."""
    agent = Agent.objects.create(slug="namer", name="Namer", max_steps=3)
    tool = ToolFactory.create(slug="rename", type="fake_rename", needs_approval=True)
    AgentTool.objects.create(agent=agent, tool=tool)
    model.script = [asks(*[rename(slug, f"new {slug}") for slug in SLUGS])]
    return begin(alice)


def rename(slug: str, name: str | None) -> ToolRequest:
    arguments = {"project": slug} if name is None else {"project": slug, "name": name}
    return call("rename", arguments, id_=slug)


def begin(user: User) -> Run:
    run = start_turn(user, TurnRequest(text="rename", enable_tools=True, agent="namer"))
    return taken_up(run)


def taken_up(run: Run) -> Run:
    """Each time by another process."""
    fence = claim_run(run.pk, f"process {uuid7()}")
    if fence is not None:
        drive(fence)
    run.refresh_from_db()
    return run


def draft_of(slug: str) -> ActionDraft:
    return ActionDraft.objects.get(proposed_arguments__project=slug)


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def confirm(user: User, slug: str, **arguments: str) -> None:
    draft = draft_of(slug)
    actions.confirm(
        person(user),
        draft.pk,
        expected_version=draft.version,
        idempotency_key=slug,
        arguments=arguments or None,
    )


DECIDE: dict[str, Callable[[User], object]] = {
    "one": lambda user: confirm(user, "one", name="edited"),
    "two": lambda user: actions.dismiss(person(user), draft_of("two").pk, reason="not this"),
    "three": lambda user: actions.respond(person(user), draft_of("three").pk, message="call it 3"),
}


@pytest.mark.parametrize("order", list(permutations(SLUGS)))
def test_any_order_across_processes_ends_with_each_result_in_its_place(
    alice: User, run: Run, model: ScriptedClient, projects: list[Project], order: tuple[str, ...]
) -> None:
    model.script = [says("As you said.")]
    for waiting, slug in zip((2, 1, 0), order, strict=True):
        DECIDE[slug](alice)
        taken_up(run)
        assert len(build_response(run).get("action_drafts", [])) == (waiting if waiting > 1 else 0)
        assert run.status == (RunStatus.WAITING if waiting else RunStatus.COMPLETED)
    told = [m for m in model.requests[-1].messages if m.role == "tool"]
    assert [m.tool_call_id for m in told] == list(SLUGS)
    assert "The person changed name from 'new one' to 'edited'" in told[0].content
    assert '"code": "dismissed"' in told[1].content
    assert "not this" in told[1].content
    assert '"code": "answered"' in told[2].content
    assert "call it 3" in told[2].content
    assert list(Project.objects.filter(slug__in=SLUGS).order_by("pk").values_list("name")) == [
        ("edited",),
        ("two",),
        ("three",),
    ]
    assert len(model.requests) == 2


def test_the_call_that_was_edited_is_not_asked_for_again(
    alice: User, run: Run, model: ScriptedClient
) -> None:
    """A model that insists on its own version is told, not obeyed."""
    model.script = [asks(rename("one", "new one")), says("Fine.")]
    for decide in DECIDE.values():
        decide(alice)
    assert taken_up(run).status == RunStatus.COMPLETED
    assert ActionDraft.objects.count() == 3
    assert '"code": "already_decided"' in model.requests[-1].messages[-1].content


def test_a_stream_says_pause_each_time_and_that_only_the_end_is_the_end(
    alice: User, run: Run, model: ScriptedClient
) -> None:
    model.script = [asks(rename("two", "another")), says("Done.")]
    for decide in DECIDE.values():
        decide(alice)
    assert taken_up(run).status == RunStatus.WAITING
    actions.dismiss(person(alice), ActionDraft.objects.waiting().get().pk)
    taken_up(run)
    events = list(RunEvent.objects.filter(run=run).values_list("seq", "type"))
    assert [seq for seq, _type in events] == list(range(1, len(events) + 1))
    kinds = [kind for _seq, kind in events]
    assert (kinds.count("action.required"), kinds.count("run.paused")) == (4, 2)
    assert kinds[-1] == "run.finished"
    paused = RunEvent.objects.filter(run=run, type="run.paused").first()
    assert paused
    assert len(paused.data["action_drafts"]) == 3


def expire(*slugs: str) -> None:
    ActionDraft.objects.filter(proposed_arguments__project__in=slugs).update(
        expires_at=Now() - timedelta(seconds=1)
    )


def test_cards_that_nobody_decides_expire_and_the_run_goes_on(
    alice: User, run: Run, model: ScriptedClient, projects: list[Project]
) -> None:
    model.script = [says("Too late.")]
    confirm(alice, "one")
    expire("two", "three")
    assert taken_up(run).status == RunStatus.WAITING  # no sweep has come yet
    assert expire_due_drafts() == 2
    assert taken_up(run).status == RunStatus.COMPLETED
    told = [m.content for m in model.requests[-1].messages if m.role == "tool"]
    assert ['"code": "expired"' in content for content in told] == [False, True, True]
    assert "nothing was done" in told[1]
    assert set(ToolCall.objects.values_list("status", flat=True)) == {"success", "expired"}


def test_deciding_too_late_expires_it_and_lets_the_run_go_on(
    alice: User, run: Run, model: ScriptedClient
) -> None:
    model.script = [says("Too late.")]
    actions.dismiss(person(alice), draft_of("two").pk)
    actions.dismiss(person(alice), draft_of("three").pk)
    expire("one")
    with pytest.raises(DraftExpired):
        confirm(alice, "one")
    assert taken_up(run).status == RunStatus.COMPLETED


def test_a_card_with_something_missing_asks_for_it_first(
    alice: User, run: Run, model: ScriptedClient, projects: list[Project]
) -> None:
    cancel_run(person(alice), run.pk)
    ActionDraft.objects.all().delete()
    model.script = [asks(rename("one", None), rename("two", None)), says("Done.")]
    run = begin(alice)
    assert build_response(run)["status"] == ResponseStatus.NEEDS_INPUT
    draft = draft_of("one")
    assert (draft.state, draft.plan["missing_fields"]) == (DraftState.NEEDS_INPUT, ["name"])
    actions.revise(
        person(alice), draft.pk, expected_version=draft.version, arguments={"name": "given"}
    )
    assert build_response(run)["status"] == ResponseStatus.NEEDS_CONFIRMATION  # one of them does
    confirm(alice, "one")
    actions.dismiss(person(alice), draft_of("two").pk)
    assert taken_up(run).status == RunStatus.COMPLETED
    projects[0].refresh_from_db()
    assert projects[0].name == "given"
    assert "to 'given'" in model.requests[-1].messages[-2].content


def test_cancelling_with_one_card_done_keeps_what_was_done(
    alice: User, run: Run, model: ScriptedClient, projects: list[Project]
) -> None:
    confirm(alice, "one")
    cancel_run(person(alice), run.pk)
    assert taken_up(run).status == RunStatus.CANCELLED
    projects[0].refresh_from_db()
    assert projects[0].name == "new one"
    states = ActionDraft.objects.values_list("state", "reason")
    assert sorted(states) == [
        ("dismissed", "run_cancelled"),
        ("dismissed", "run_cancelled"),
        ("executed", ""),
    ]
    assert write_missing_receipts() == 1  # the conversation tells it
    assert write_missing_receipts() == 0


@pytest.mark.parametrize("when", ["asking", "calling"])
def test_cancelling_while_the_model_is_asked_stores_nothing_of_its_reply(
    alice: User, run: Run, model: ScriptedClient, when: str
) -> None:
    cancel_run(person(alice), run.pk)

    def stop(request: object) -> object:
        cancel_run(person(alice), Run.objects.latest("created_at").pk)
        return says("late") if when == "asking" else asks(rename("one", "x"))

    model.script = [stop]  # type: ignore[list-item]  # a callable line of the script
    before = ToolCall.objects.count()
    run = begin(alice)
    assert (run.status, run.response_status) == (RunStatus.CANCELLED, ResponseStatus.CANCELLED)
    assert build_response(run)["answer"] == ""
    assert ToolCall.objects.count() == before
    assert (
        list(RunEvent.objects.filter(run=run).values_list("type", flat=True))[-1] == "run.finished"
    )
    model.script = [says("Here I am.")]
    again = start_turn(alice, TurnRequest(text="hi", conversation_id=run.conversation_id))
    assert build_response(taken_up(again))["answer"] == "Here I am."


def test_when_the_tool_was_deleted_in_between_the_model_is_told_and_goes_on(
    run: Run, alice: User, projects: list[Project], model: ScriptedClient
) -> None:
    Tool.objects.get(slug="rename").delete()
    model.script = [says("The tool is gone.")]
    for number, slug in enumerate(SLUGS):
        draft = draft_of(slug)
        path = f"/api/agent/actions/{draft.pk}/confirm/"
        body = {"expected_version": draft.version, "idempotency_key": f"k{number}"}
        assert error_of(Api(alice)("POST", path, body))[:2] == (409, "conditions_changed")
    run = taken_up(run)
    assert (run.status, run.response_status) == ("completed", "COMPLETED")
    told = RunStep.objects.get(run=run, n=1).results
    assert {one["error"]["code"] for one in told.values()} == {"unknown_tool"}
    assert sorted(Project.objects.values_list("name", flat=True)) == sorted(["Demo", *SLUGS])
    status, page = Api(alice)("GET", f"/api/agent/actions/{draft_of(SLUGS[0]).pk}/")
    assert (status, page["state"], page["tool"]) == (200, "failed", "rename")
