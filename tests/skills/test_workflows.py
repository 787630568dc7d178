"""Workflows below the agents: versions, races, erasure, what is kept and how it is found."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from config.base.errors import GatehouseError
from config.base.models import User
from documents.models import Document
from skills import registry
from skills.enums import SessionState
from skills.erasure import erase_person
from skills.errors import StepNeeded, WorkflowActive, WorkflowNotReady, WorkflowOver, WorkflowPaused
from skills.grants import Permission, grant_permission
from skills.manifests import Manifest
from skills.models import AuditEvent, SkillRun, WorkflowMove, WorkflowSession
from skills.shipped.meeting_notes import MeetingNotes
from skills.steps import TextStep
from skills.workflows import services
from skills.workflows.moving import Change
from skills.workflows.selectors import MOST_OPEN, list_open
from skills.workflows.shown import show_open
from tests.plans import analyze, assert_uses_index
from tests.skills.factories import make_session
from tests.skills.workflow_talk import START, Talk
from tests.threads import both_at_once
from tests.tools.secrets import operator_actor
from tools.models import ActionDraft, Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents")]

WRITE = Permission(skill_id="meeting-notes", code="document:write")


@pytest.fixture
def talk(alice: User) -> Talk:
    return Talk(alice)


@pytest.fixture
def granted(talk: Talk) -> None:
    grant_permission(talk.actor, WRITE)


def released(version: str, *steps: Any) -> Manifest:
    """Another version of the skill, by itself."""
    facts = {**MeetingNotes.manifest.__dict__, "version": version}
    attributes = {"manifest": Manifest(**facts), "steps": steps or MeetingNotes.steps}
    return type("Released", (MeetingNotes,), attributes)  # type: ignore[return-value]  # a class


PLACE = TextStep(name="place", label="Place", question="Where?")


def change(session: WorkflowSession, user: User) -> Change:
    return Change(Talk(user).actor, session.pk, timezone.now())


# --- Versions ---


def test_a_minor_version_goes_on_with_what_was_answered(talk: Talk) -> None:
    talk.say(START)
    talk.say("Budget")
    newer: Any = released("1.1.0", *MeetingNotes.steps[:1], PLACE, *MeetingNotes.steps[2:])
    with registry.only(newer):
        said = talk.say("Berlin")
    session = talk.session()
    assert said is not None
    assert "**Decisions** (3 of 4)" in said.text
    assert (session.version, session.answers) == ("1.1.0", {"title": "Budget", "place": "Berlin"})


@pytest.mark.parametrize("installed", [[], [released("2.0.0")]], ids=["gone", "major"])
def test_a_skill_that_is_gone_ends_it_and_says_so(talk: Talk, installed: list[Any]) -> None:
    talk.say(START)
    with registry.only(*installed):
        said = talk.say("Budget")
        again = talk.again()
    assert said is not None
    assert again is not None
    assert "has ended" in said.text
    assert said.text == again.text
    assert talk.session().state == SessionState.CANCELLED
    assert AuditEvent.objects.filter(action="workflow.ended").count() == 1


def test_of_two_majors_it_stays_with_its_own(talk: Talk) -> None:
    talk.say(START)
    both: list[Any] = [MeetingNotes, released("2.0.0")]
    with registry.only(*both):
        talk.say("Budget")
    assert (talk.session().version, talk.session().step) == ("1.0.0", "attendees")


# --- What is refused ---


def test_the_services_refuse_what_does_not_fit(alice: User, bob: User) -> None:
    session = make_session(alice)
    with pytest.raises(StepNeeded):
        services.skip_step(change(session, alice))
    with pytest.raises(WorkflowNotReady):
        services.ask_for_document(change(session, alice))
    services.pause_session(change(session, alice))
    with pytest.raises(WorkflowPaused):
        services.answer_step(change(session, alice), "Ann")
    with pytest.raises(GatehouseError, match="not yours"):
        services.cancel_session(change(session, bob))
    services.cancel_session(change(session, alice))
    with pytest.raises(WorkflowOver):
        services.answer_step(change(session, alice), "Ann")
    assert WorkflowMove.objects.filter(session=session).count() == 2


def test_a_conversation_has_one_active_workflow_by_constraint(alice: User) -> None:
    first = make_session(alice)
    with pytest.raises(IntegrityError), transaction.atomic():
        make_session(alice, conversation_id=first.conversation_id)
    make_session(alice, SessionState.PAUSED, conversation_id=first.conversation_id)


def test_a_paused_one_leaves_room_for_another_and_comes_after_it(talk: Talk) -> None:
    talk.say(START)
    talk.say("pause")
    talk.say(START)
    paused, active = talk.sessions()
    assert (paused.state, active.state) == ("paused", "active")
    with pytest.raises(WorkflowActive):
        services.resume_session(change(paused, talk.user))
    assert list_open(talk.user, talk.conversation_id) == [active, paused]
    for _n in range(MOST_OPEN):
        make_session(talk.user, SessionState.PAUSED, conversation_id=talk.conversation_id)
    bounded = list_open(talk.user, talk.conversation_id)
    assert (bounded[0], len(bounded)) == (active, MOST_OPEN)


def test_without_its_tool_it_says_so_and_keeps_the_answers(granted: None, talk: Talk) -> None:
    Tool.objects.filter(slug="document").update(enabled=False)
    for text in (START, "Budget", "Ann", "skip"):
        talk.say(text)
    said = talk.say("skip")
    assert said is not None
    assert "Nothing was written" in said.text
    assert talk.session().answers["title"] == "Budget"
    Tool.objects.filter(slug="document").update(enabled=True)
    again = talk.say("write")
    assert again is not None
    assert again.draft is not None


# --- At once ---


@pytest.mark.django_db(transaction=True)
def test_of_one_message_at_once_one_moves(alice: User, agents: None) -> None:
    talk = Talk(alice)
    talk.say(START)
    message = (uuid4(), "Budget")
    said = both_at_once(lambda: talk.hear(*message), lambda: talk.hear(*message))
    assert all(reply is not None and "**Attendees**" in reply.text for reply in said)
    assert talk.session().answers == {"title": "Budget"}
    assert WorkflowMove.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_starts_at_once_one_is_active(alice: User, agents: None) -> None:
    talk = Talk(alice)
    both_at_once(lambda: talk.say(START), lambda: talk.say(START))
    assert [session.state for session in talk.sessions()] == ["active"]


@pytest.mark.django_db(transaction=True)
def test_cancelled_and_confirmed_at_once_it_is_one_of_both(alice: User, agents: None) -> None:
    talk = Talk(alice)
    grant_permission(talk.actor, WRITE)
    draft = talk.until_the_card()

    def confirm() -> bool:
        try:
            talk.confirm(draft)
        except GatehouseError:
            return False
        return True

    def cancel() -> bool:
        session = talk.session()
        moved = services.cancel_session(change(session, alice))
        return moved.session.state == SessionState.CANCELLED

    confirmed, cancelled = both_at_once(confirm, cancel)
    assert confirmed != cancelled
    assert Document.objects.count() == confirmed
    talk.again()
    assert talk.session().state == ("completed" if confirmed else "cancelled")


@pytest.mark.django_db(transaction=True)
def test_cancelled_while_its_card_is_made_no_card_is_left(
    alice: User, agents: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = Talk(alice)
    grant_permission(talk.actor, WRITE)
    for text in (START, "Budget", "Ann", "skip"):
        talk.say(text)

    def cancel_first(*_args: Any) -> dict[str, Any]:
        services.cancel_session(change(talk.session(), alice))
        return {"document": False}

    monkeypatch.setattr("skills.calls.skill_tool_set", cancel_first)
    said = talk.say("skip")
    assert said is not None
    assert "cancelled" in said.text
    assert not ActionDraft.objects.exists()


def test_due_and_gone_on_with_at_once_it_takes_the_message(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.say(START)
    talk.wait(days=30)
    expire = services.expire_session

    def go_on_first(asked: Change) -> Any:
        WorkflowSession.objects.update(expires_at=talk.now + timedelta(hours=1))
        return expire(asked)

    monkeypatch.setattr("skills.workflows.services.expire_session", go_on_first)
    said = talk.say("Budget")
    assert said is not None
    assert "**Attendees**" in said.text
    assert talk.notices == []
    assert talk.session().answers == {"title": "Budget"}


def test_one_that_lasted_for_months_ends_like_any_other(talk: Talk) -> None:
    talk.say(START)
    talk.wait(days=100)
    assert talk.say("Good morning") is None
    assert talk.session().state == "expired"
    assert SkillRun.objects.get().duration_ms == 2**31 - 1


def test_due_and_ended_at_once_it_is_told_by_who_ended_it(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.say(START)
    talk.wait(days=30)
    expire = services.expire_session

    def end_first(asked: Change) -> Any:
        expire(asked)
        return expire(asked)

    monkeypatch.setattr("skills.workflows.services.expire_session", end_first)
    assert talk.say("Budget") is None
    assert talk.notices == []
    assert talk.session().state == "expired"


# --- What is kept ---


def test_what_has_ended_keeps_when_it_would_have_expired(talk: Talk) -> None:
    talk.say(START)
    until = talk.session().expires_at
    talk.wait(minutes=5)
    talk.say("Budget")
    renewed = talk.session().expires_at
    talk.wait(minutes=5)
    talk.say("cancel")
    assert until < renewed == talk.session().expires_at


def test_the_answers_of_somebody_who_is_erased_are_gone(
    alice: User, bob: User, operator: User
) -> None:
    make_session(alice)
    others = make_session(bob)
    alice.is_active = False
    alice.save()
    erase_person(operator_actor(operator), alice.pk, with_account=True)
    assert list(WorkflowSession.objects.all()) == [others]


def test_what_a_page_shows_is_one_query_and_one_for_cards(
    alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    paused = make_session(alice, SessionState.PAUSED, step="")
    active = make_session(alice)
    make_session(alice, SessionState.CANCELLED)
    make_session(alice, expires_at=timezone.now() - timedelta(seconds=1))
    make_session(bob)
    with django_assert_num_queries(2):
        shown = show_open(alice)
    assert [(one.id, one.is_paused, one.number, one.count, one.label) for one in shown] == [
        (active.pk, False, 2, 4, "Attendees"),
        (paused.pk, True, 4, 4, ""),
    ]
    assert [one.id for one in show_open(alice, active.conversation_id)] == [active.pk]


def test_a_message_of_a_workflow_takes_so_many_queries(
    talk: Talk, django_assert_num_queries: Any
) -> None:
    talk.say(START)
    # Of the turn: begin, the open ones, whether it is on, end. Of the move: begin, the row, whether
    # the message came before, whether it is on, the row again, the move, the event, end.
    with django_assert_num_queries(12):
        talk.say("Budget")


def test_open_and_due_ones_are_found_by_index(alice: User, bob: User) -> None:
    now = timezone.now()
    WorkflowSession.objects.bulk_create(
        WorkflowSession(
            user=bob if n % 50 else alice,
            conversation_id=uuid4(),
            message_id=uuid4(),
            skill_id="meeting-notes",
            version="1.0.0",
            state="completed" if n % 20 else "paused",
            expires_at=now + timedelta(minutes=n - 5),
            finished_at=now if n % 20 else None,
        )
        for n in range(2000)
    )
    analyze(WorkflowSession)
    rows = WorkflowSession.objects
    assert_uses_index(rows.open().filter(conversation_id=uuid4()), "session_open")
    assert_uses_index(rows.due(now).order_by("expires_at")[:100], "session_due")
    assert_uses_index(rows.for_user(alice).order_by("-created_at")[:20], "session_by_user")
    old = rows.filter(finished_at__lt=now - timedelta(days=1))
    assert_uses_index(old.order_by("finished_at")[:100], "session_finished")
