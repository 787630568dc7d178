"""Workflows whose card, run or conversation ends in another way than by their last answer."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from agents import conversations
from agents.actions import dismiss, resolve, revise
from agents.conversations import delete_conversation
from agents.models import Agent, Conversation, Message, Run
from agents.receipts import write_missing_receipts
from agents.runs.finish import cancel_run
from agents.runs.start import TurnRequest, start_turn
from agents.testing import ScriptedClient
from agents.workflows import expire_due_workflows, forget_workflows
from config.base.errors import NotFound
from config.base.models import User
from documents.models import Document
from skills.grants import grant_permission
from skills.models import AuditEvent, WorkflowSession
from skills.runs import settle_waiting_runs
from skills.workflows.services import expire_session
from tests.agents.conftest import Turn, go_on
from tests.agents.notes_talk import WRITE, Talk, page, session, use
from tests.threads import PATIENCE_SECONDS, both_at_once
from tools.drafts import expire_due_drafts
from tools.errors import ToolFailure
from tools.models import ActionDraft, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def talk(turn: Turn, alice: User, guide: Agent, model: ScriptedClient) -> Talk:
    grant_permission(page(alice), WRITE)
    return Talk(turn, alice)


def receipts() -> list[str]:
    return list(Message.objects.filter(role="receipt").values_list("text", flat=True))


def sweep() -> None:
    expire_due_drafts()
    write_missing_receipts()
    settle_waiting_runs()


def due() -> None:
    WorkflowSession.objects.update(expires_at=timezone.now() - timedelta(hours=1))


@pytest.fixture
def tried_again(talk: Talk, alice: User, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """Its card failed, as its run has told; she tries it again, and it is written."""
    talk.until_the_card()

    def fail(*_args: Any, **_how: Any) -> Any:
        raise ToolFailure("No room.", code="no_room")

    with monkeypatch.context() as patched:
        patched.setattr("tools.drafts.confirm.run_executor", fail)
        assert "Nothing was written" in talk.confirm()
    failed = ActionDraft.objects.get(state="failed")
    revise(page(alice), failed.pk, expected_version=failed.version, arguments={})
    talk.decide("again")
    assert Document.objects.count() == 1
    return talk


# --- What was written is told once ---


def test_what_its_run_has_told_gets_no_receipt(talk: Talk) -> None:
    talk.until_the_card()
    talk.decide("c")
    sweep()
    assert "is done" in talk.answer(go_on(talk.run))
    sweep()
    assert receipts() == []


def test_what_a_stopped_run_did_not_tell_gets_one(talk: Talk, alice: User) -> None:
    talk.until_the_card()
    talk.decide("c")
    cancel_run(page(alice), talk.run.pk)
    sweep()
    sweep()
    assert len(receipts()) == 1
    assert "Budget 2027" in receipts()[0]


def test_what_was_tried_again_after_its_run_gets_one(tried_again: Talk) -> None:
    sweep()
    assert len(receipts()) == 1


def test_what_a_person_says_was_done_gets_one(talk: Talk, alice: User) -> None:
    draft = talk.until_the_card()
    ActionDraft.objects.update(state="outcome_unknown")
    ToolCall.objects.update(status="outcome_unknown", finished_at=timezone.now())
    go_on(talk.run)
    resolve(page(alice), draft.pk, expected_version=draft.version, done=True)
    assert len(receipts()) == 1


# --- A card ends, and the workflow goes on ---


def test_a_use_goes_on_when_its_card_is_dismissed(talk: Talk, alice: User) -> None:
    draft = talk.until_the_card()
    dismiss(page(alice), draft.pk)
    sweep()
    go_on(talk.run)
    sweep()
    assert (use().status, use().finished_at) == ("running", None)
    talk.say("write")
    talk.confirm()
    assert (use().status, use().error_code) == ("succeeded", "")
    assert use().finished_at is not None


def test_a_use_goes_on_when_its_card_expires(talk: Talk) -> None:
    draft = talk.until_the_card()
    ActionDraft.objects.update(expires_at=draft.created_at)
    sweep()
    go_on(talk.run)
    sweep()
    assert (use().status, use().finished_at) == ("running", None)


def test_a_use_waits_for_the_card_that_replaced_another(talk: Talk) -> None:
    talk.until_the_card()
    replaced = talk.run
    talk.say("change title to Budget 2028")
    waiting = ActionDraft.objects.get(state="draft").call_id
    go_on(replaced)
    sweep()
    assert (use().status, use().tool_call_id, use().finished_at) == ("waiting", waiting, None)
    assert session().tool_call_id == waiting


# --- Written, though its run did not say so ---


def test_after_a_late_retry_the_next_message_completes_it(tried_again: Talk) -> None:
    assert session().state == "active"
    assert "is done" in tried_again.say("What now?")
    assert (session().state, use().status) == ("completed", "succeeded")


@pytest.mark.parametrize("word", ["resume", "/cancel"])
def test_paused_and_written_it_is_completed_and_not_written_again(
    tried_again: Talk, word: str
) -> None:
    WorkflowSession.objects.update(state="paused")
    assert "is done" in tried_again.say(word)
    assert session().state == "completed"
    assert ActionDraft.objects.count() == Document.objects.count() == 1


@pytest.mark.parametrize("by", ["housekeeping", "message"])
def test_of_what_is_written_nobody_says_that_it_expired(
    talk: Talk, alice: User, model: ScriptedClient, by: str
) -> None:
    talk.until_the_card()
    talk.decide("c")
    cancel_run(page(alice), talk.run.pk)
    due()
    if by == "message":
        talk.say("Good morning")
    else:
        assert expire_due_workflows() == 1
    assert (session().state, use().status) == ("completed", "succeeded")
    assert not Message.objects.filter(text__contains="has expired").exists()


# --- What ends before its uses do ---


def test_with_its_conversation_a_use_is_cancelled(talk: Talk, alice: User) -> None:
    talk.say("/meeting-notes")
    began = session()
    assert talk.conversation_id is not None
    due()
    delete_conversation(page(alice), talk.conversation_id)
    assert not WorkflowSession.objects.exists()
    assert (use().status, use().finished_at is not None) == ("cancelled", True)
    event = AuditEvent.objects.get(action="workflow.cancelled")
    assert (event.target_id, event.conversation_id) == (str(began.pk), began.conversation_id)


@pytest.mark.django_db(transaction=True)
def test_deleted_while_it_expires_neither_waits_for_the_other(
    talk: Talk, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One order of locks: what holds the conversation wants no session any more."""
    talk.say("/meeting-notes")
    conversation_id = talk.conversation_id
    assert conversation_id is not None
    due()
    held, conversation_held = Event(), Event()
    expire, lock = expire_session, conversations._lock

    def expire_slowly(*args: Any) -> Any:
        moved = expire(*args)
        held.set()
        conversation_held.wait(0.5)  # in vain, when they go in one order
        return moved

    def lock_and_tell(*args: Any) -> Any:
        locked = lock(*args)
        conversation_held.set()
        return locked

    def delete() -> None:
        assert held.wait(PATIENCE_SECONDS)
        delete_conversation(page(alice), conversation_id)

    monkeypatch.setattr("agents.workflows.expire_session", expire_slowly)
    monkeypatch.setattr("agents.conversations._lock", lock_and_tell)
    both_at_once(expire_due_workflows, delete)
    assert not WorkflowSession.objects.exists()
    assert use().status == "expired"


@contextmanager
def meanwhile(monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any]) -> Iterator[None]:
    """Done by another process once a deletion has looked for what is going on."""
    forget, came = forget_workflows, list[Future[Any]]()

    def in_another() -> None:
        with closing(connection), suppress(NotFound):  # it came too late
            work()

    def forget_late(*args: Any) -> None:
        forget(*args)
        if not came:
            came.append(pool.submit(in_another))
            wait(came, timeout=3)  # in vain where one writer keeps all others out

    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr("agents.conversations.forget_workflows", forget_late)
        yield
        came[0].result(PATIENCE_SECONDS)


@pytest.mark.django_db(transaction=True)
def test_a_run_that_begins_while_its_conversation_is_deleted_is_stopped(
    talk: Talk, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.say("Good morning")
    conversation_id = talk.conversation_id
    assert conversation_id is not None
    late = TurnRequest(text="And now?", conversation_id=conversation_id)
    with meanwhile(monkeypatch, lambda: start_turn(alice, late)):
        delete_conversation(page(alice), conversation_id)
    assert not Conversation.objects.filter(pk=conversation_id).exists()
    assert not Run.objects.unfinished().exists()


@pytest.mark.django_db(transaction=True)
def test_a_workflow_that_begins_while_its_conversation_is_deleted_is_cancelled(
    talk: Talk, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk.say("Good morning")
    conversation_id = talk.conversation_id
    assert conversation_id is not None
    with meanwhile(monkeypatch, lambda: talk.say("/meeting-notes")):
        delete_conversation(page(alice), conversation_id)
    assert not WorkflowSession.objects.exists()
    begun = AuditEvent.objects.filter(action="workflow.started").count()
    assert AuditEvent.objects.filter(action="workflow.cancelled").count() == begun
