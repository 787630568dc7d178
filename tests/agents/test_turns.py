"""Starting a turn: what is accepted is a message and a queued run; all else changes nothing."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.models.functions import Now

from agents.models import Agent, Conversation, Message, Run, RunStatus
from agents.runs.projects import ProjectRequired
from agents.runs.start import MAX_TEXT_LENGTH, RunActive, StaleContext, TurnRequest, start_turn
from config.base.errors import GatehouseError, IdempotencyKeyReused, InvalidInput, NotFound
from config.base.models import Membership, Role, User
from config.base.wake import listen, unlisten
from skills.models import AuditEvent
from tests.agents.cards import conversation_of, run_of
from tests.factories import MembershipFactory, ProjectFactory
from tests.threads import both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def start(user: User, text: str = "hello", **values: Any) -> Run:
    return start_turn(user, TurnRequest(text=text, **values))


def finish(run: Run) -> Run:
    Run.objects.filter(pk=run.pk).update(status=RunStatus.COMPLETED)
    return run


def refused(user: User, text: str = "hello", **values: Any) -> GatehouseError:
    """The error; nothing was stored."""
    before = (Conversation.objects.count(), Message.objects.count(), Run.objects.count())
    with pytest.raises(GatehouseError) as error:
        start(user, text, **values)
    assert (Conversation.objects.count(), Message.objects.count(), Run.objects.count()) == before
    return error.value


def test_it_stores_the_message_and_a_queued_run(alice: User, guide: Agent) -> None:
    run = start(alice, "  Hello,\n  Guide  ", enable_tools=True, client="token")
    assert (run.status, run.owner, run.agent, run.origin) == ("queued", alice, guide, "chat")
    assert (run.enable_tools, run.client, run.role, run.preview) == (
        True,
        "token",
        "employee",
        False,
    )
    assert run.conversation is not None
    assert run.conversation.title == "Hello, Guide"
    message = Message.objects.get()
    assert (message.role, message.text, message.position, message.provenance) == (
        "user",
        "  Hello,\n  Guide  ",
        1,
        ["own"],
    )
    assert message.run == run
    run.conversation.refresh_from_db()
    assert run.conversation.message_count == 1


def test_it_is_audited_without_the_text(alice: User, guide: Agent) -> None:
    run = start(alice, "my secret plan")
    event = AuditEvent.objects.get(action="run.created")
    assert (event.target_type, event.target_id, event.run_id) == ("run", str(run.pk), run.pk)
    assert event.agent_id == guide.pk
    assert event.conversation_id == run.conversation_id
    assert "secret" not in str(AuditEvent.objects.filter(pk=event.pk).values().get())


def test_the_run_host_is_woken_after_the_commit(
    alice: User, guide: Agent, django_capture_on_commit_callbacks: Any
) -> None:
    woken: list[int] = []

    def wake() -> None:
        woken.append(Run.objects.count())

    listen(wake)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            start(alice)
            assert woken == []
    finally:
        unlisten(wake)
    assert woken == [1]


# --- Text ---


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "required"),
        (" \n\t ", "required"),
        ("x" * (MAX_TEXT_LENGTH + 1), "too_long"),
        ("a\x00b", "invalid"),
    ],
)
def test_a_text_that_says_nothing_or_too_much_is_refused(
    alice: User, guide: Agent, text: str, code: str
) -> None:
    error = refused(alice, text)
    assert (type(error), error.code) == (InvalidInput, code)


@pytest.mark.parametrize("text", ["x" * MAX_TEXT_LENGTH, "你好", "🦉", "a\u0301\u202e", "\ufeff x"])
def test_any_other_text_is_kept_as_it_is(alice: User, guide: Agent, text: str) -> None:
    start(alice, text)
    assert Message.objects.get().text == text


def test_the_title_is_the_beginning_of_the_first_message(alice: User, guide: Agent) -> None:
    run = start(alice, "word " * 100)
    assert run.conversation
    title = run.conversation.title
    assert len(title) == 80
    assert title.startswith("word word word")
    assert title.endswith("…")
    finish(run)
    again = start(alice, "something else", conversation_id=run.conversation_id)
    assert again.conversation
    assert again.conversation.title == run.conversation.title


# --- Agents ---


def test_without_a_name_it_is_the_first_agent_one_may_use(alice: User) -> None:
    Agent.objects.create(slug="off", name="A", enabled=False)
    Agent.objects.create(slug="boss", name="A", roles=[Role.SUPERVISOR])
    Agent.objects.create(slug="guide", name="Z")
    Agent.objects.create(slug="later", name="B")
    run = start(alice)
    assert run.agent
    assert run.agent.slug == "guide"


@pytest.mark.parametrize("slug", ["nobody", "off", "boss", "GUIDE", "guide "])
def test_an_agent_one_may_not_use_is_not_there(alice: User, guide: Agent, slug: str) -> None:
    Agent.objects.create(slug="off", name="Off", enabled=False)
    Agent.objects.create(slug="boss", name="Boss", roles=[Role.SUPERVISOR])
    assert isinstance(refused(alice, agent=slug), NotFound)


def test_no_agent_at_all_is_said_so(alice: User) -> None:
    assert isinstance(refused(alice), NotFound)


def test_an_agent_of_a_role_is_open_to_that_role_and_to_staff(
    sam: User, operator: User, alice: User, stranger: User
) -> None:
    Agent.objects.create(slug="boss", name="Boss", roles=[Role.SUPERVISOR])
    assert start(sam, agent="boss").role == "supervisor"
    assert start(operator, agent="boss").role == "operator"
    for user in (alice, stranger):
        assert isinstance(refused(user, agent="boss"), NotFound)


def test_staff_only_preview(operator: User, guide: Agent) -> None:
    assert start(operator).preview


def test_an_agent_that_was_taken_away_ends_its_conversations(alice: User, guide: Agent) -> None:
    run = finish(start(alice))
    Agent.objects.update(roles=[Role.SUPERVISOR])
    assert isinstance(refused(alice, conversation_id=run.conversation_id), NotFound)
    Agent.objects.update(roles=[], enabled=False)
    assert isinstance(refused(alice, conversation_id=run.conversation_id), NotFound)


# --- Conversations ---


def test_a_conversation_goes_on_with_its_own_agent(alice: User, guide: Agent) -> None:
    Agent.objects.create(slug="other", name="Other")
    first = finish(start(alice, agent="other"))
    second = start(alice, "and?", conversation_id=first.conversation_id)
    assert second.agent == first.agent
    assert second.conversation_id == first.conversation_id
    assert list(Message.objects.values_list("position", flat=True)) == [1, 2]


def test_another_agent_can_not_join_in(alice: User, guide: Agent) -> None:
    Agent.objects.create(slug="other", name="Other")
    run = finish(start(alice, agent="guide"))
    error = refused(alice, conversation_id=run.conversation_id, agent="other")
    assert error.code == "agent_mismatch"
    assert start(alice, conversation_id=run.conversation_id, agent="guide").agent == guide


def test_what_is_not_ones_own_is_not_there(alice: User, bob: User, guide: Agent) -> None:
    run = finish(start(alice))
    assert isinstance(refused(bob, conversation_id=run.conversation_id), NotFound)
    assert isinstance(refused(alice, conversation_id=uuid4()), NotFound)


# --- Projects ---


def test_the_only_project_is_taken(alice: User, guide: Agent) -> None:
    run = start(alice)
    assert run.project
    assert run.project.slug == "demo"


def test_of_several_projects_none_is_guessed(alice: User, guide: Agent) -> None:
    second = ProjectFactory.create(slug="second", name="Zeta")
    MembershipFactory.create(user=alice, project=second, role=Role.SUPERVISOR)
    error = refused(alice)
    assert (type(error), error.code) == (ProjectRequired, "project_required")
    assert error.details["choices"] == [
        {"slug": "demo", "name": "Demo"},
        {"slug": "second", "name": "Zeta"},
    ]
    named = start(alice, project="second")
    assert named.project
    assert (named.project.slug, named.role) == ("second", "supervisor")


def test_somebody_in_no_project_has_no_role(stranger: User, guide: Agent) -> None:
    run = start(stranger)
    assert (run.project, run.role) == (None, "")


@pytest.mark.parametrize("slug", ["theirs", "nowhere", "DEMO"])
def test_a_project_one_is_not_in_is_not_there(alice: User, guide: Agent, slug: str) -> None:
    ProjectFactory.create(slug="theirs")
    assert isinstance(refused(alice, project=slug), NotFound)


def test_a_conversation_stays_in_its_project(alice: User, guide: Agent) -> None:
    MembershipFactory.create(user=alice, project__slug="second")
    ProjectFactory.create(slug="theirs")
    run = finish(start(alice, project="demo"))
    here: Any = {"conversation_id": run.conversation_id}
    assert refused(alice, project="second", **here).code == "project_mismatch"
    assert isinstance(refused(alice, project="theirs", **here), NotFound)
    assert start(alice, project="demo", **here).project == run.project


def test_a_conversation_goes_on_without_naming_its_project(alice: User, guide: Agent) -> None:
    run = finish(start(alice))
    MembershipFactory.create(user=alice, project__slug="second")
    assert start(alice, conversation_id=run.conversation_id).project == run.project


def test_one_who_left_the_project_has_no_role_in_it_any_more(alice: User, guide: Agent) -> None:
    run = finish(start(alice))
    Membership.objects.all().delete()
    assert start(alice, conversation_id=run.conversation_id).role == ""


# --- What was said in the meantime ---


def test_each_accepted_message_raises_the_context_version(alice: User, guide: Agent) -> None:
    first = finish(start(alice))
    assert first.context_version == 1
    second = finish(start(alice, conversation_id=first.conversation_id, context_version=1))
    assert second.context_version == 2
    third = start(alice, conversation_id=first.conversation_id)  # who does not say is not judged
    assert third.context_version == 3
    assert third.conversation
    assert third.conversation.context_version == 3


@pytest.mark.parametrize("version", [0, 2, 99])
def test_a_stale_context_is_refused_with_the_current_one(
    alice: User, guide: Agent, version: int
) -> None:
    run = finish(start(alice))
    error = refused(alice, conversation_id=run.conversation_id, context_version=version)
    assert isinstance(error, StaleContext)
    assert error.details == {"context_version": 1}


def test_a_new_conversation_begins_at_version_0(alice: User, guide: Agent) -> None:
    assert isinstance(refused(alice, context_version=1), StaleContext)
    assert start(alice, context_version=0).context_version == 1


@pytest.mark.parametrize("status", [RunStatus.QUEUED, RunStatus.RUNNING])
def test_while_the_agent_is_at_work_it_is_not_spoken_to(
    alice: User, guide: Agent, status: RunStatus
) -> None:
    run = start(alice)
    Run.objects.update(status=status)
    error = refused(alice, conversation_id=run.conversation_id)
    assert isinstance(error, RunActive)
    assert error.details == {"run_id": str(run.pk)}
    start(alice)  # in another conversation


@pytest.mark.parametrize("status", sorted({*RunStatus} - {RunStatus.QUEUED, RunStatus.RUNNING}))
def test_at_rest_or_waiting_for_a_person_it_is(
    alice: User, guide: Agent, status: RunStatus
) -> None:
    run = start(alice)
    Run.objects.update(status=status)
    assert start(alice, conversation_id=run.conversation_id).context_version == 2


# --- Keys ---


def test_the_same_key_joins_the_run(alice: User, guide: Agent) -> None:
    first = start(alice, idempotency_key="k")
    assert start(alice, idempotency_key="k") == first
    finish(first)
    assert start(alice, idempotency_key="k") == first
    assert (Run.objects.count(), Message.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    "other", [{"text": "bye"}, {"enable_tools": True}, {"agent": "guide"}, {"context_version": 0}]
)
def test_the_same_key_for_another_message_is_refused(
    alice: User, guide: Agent, other: dict[str, Any]
) -> None:
    start(alice, idempotency_key="k")
    error = refused(alice, **{"text": "hello", **other, "idempotency_key": "k"})
    assert isinstance(error, IdempotencyKeyReused)


@pytest.mark.parametrize("text", ["hello", "something else"])
def test_after_24_hours_a_key_is_a_new_one(alice: User, guide: Agent, text: str) -> None:
    first = start(alice, idempotency_key="k")
    Run.objects.update(created_at=Now() - timedelta(hours=23.9))
    assert start(alice, idempotency_key="k") == first
    Run.objects.update(created_at=Now() - timedelta(hours=24.1))
    second = start(alice, text, idempotency_key="k")
    assert second != first
    assert start(alice, text, idempotency_key="k") == second
    assert Run.objects.count() == 2


def test_keys_are_each_persons_own(alice: User, bob: User, guide: Agent) -> None:
    assert start(alice, idempotency_key="k") != start(bob, idempotency_key="k")


def test_without_a_key_each_message_counts(alice: User, guide: Agent) -> None:
    assert start(alice) != start(alice)


@pytest.mark.django_db(transaction=True)
def test_twins_with_one_key_make_one_run(alice: User, guide: Agent) -> None:
    runs = both_at_once(*[lambda: start(alice, idempotency_key="k")] * 3)
    assert len({run.pk for run in runs}) == 1
    assert (Run.objects.count(), Message.objects.count()) == (1, 1)
    assert Conversation.objects.count() == 1
    assert AuditEvent.objects.filter(action="run.created").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("version", [None, 0])
def test_twins_in_an_old_conversation_make_one_run(
    alice: User, guide: Agent, version: int | None
) -> None:
    """The second finds the agent at work, or the context gone on: by its own first."""
    conversation = conversation_of(alice, guide)

    def say() -> Run:
        here: Any = {"conversation_id": conversation.pk, "context_version": version}
        return start(alice, idempotency_key="k", **here)

    runs = both_at_once(say, say, say)
    assert len({run.pk for run in runs}) == 1
    assert (Run.objects.count(), Message.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_of_two_different_messages_at_once_one_is_accepted(alice: User, guide: Agent) -> None:
    conversation = conversation_of(alice, guide)

    def say(text: str) -> str:
        try:
            start(alice, text, conversation_id=conversation.pk)
        except RunActive as error:
            return error.code
        return "accepted"

    assert sorted(both_at_once(lambda: say("a"), lambda: say("b"))) == ["accepted", "run_active"]
    conversation.refresh_from_db()
    assert (conversation.message_count, conversation.context_version) == (1, 1)


def test_a_run_of_somebody_else_does_not_hold_one_up(alice: User, bob: User, guide: Agent) -> None:
    run_of(conversation_of(bob, guide), status=RunStatus.RUNNING)
    start(alice)
