"""The cards of a workflow: which of them is the last, and how those end that nobody decided."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from config.base import ids
from config.base.models import User
from documents.models import Document
from skills import registry
from skills.enums import SessionState
from skills.grants import grant_permission
from skills.models import AuditEvent
from skills.workflows import services
from skills.workflows.moving import Change
from skills.workflows.shown import show, show_open
from tests.skills.factories import make_session
from tests.skills.test_workflows import WRITE
from tests.skills.workflow_talk import ALL, Talk
from tools.enums import CallStatus
from tools.errors import CallDenied
from tools.models import ActionDraft, ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents")]


@pytest.fixture
def talk(alice: User) -> Talk:
    talk = Talk(alice)
    grant_permission(talk.actor, WRITE)
    return talk


@contextmanager
def behind(**how_far: int) -> Iterator[None]:
    """Another process, whose clock is behind this one's: times and ids are by it."""
    late, now, nanoseconds = timedelta(**how_far), timezone.now, time.time_ns
    late_ns = late // timedelta(microseconds=1) * 1000
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("django.utils.timezone.now", lambda: now() - late)
        patched.setattr(ids, "time", SimpleNamespace(time_ns=lambda: nanoseconds() - late_ns))
        patched.setattr(ids, "_last", 0)
        yield


def actor_change(talk: Talk) -> Change:
    return Change(talk.actor, talk.session().pk, talk.now)


def ended(draft: ActionDraft) -> tuple[str, str, bool]:
    """Its reason, how its call ended, and whether somebody decided it."""
    draft.refresh_from_db()
    assert draft.state == "dismissed"
    assert AuditEvent.objects.get(action="draft.dismissed").reason_code == draft.reason
    call = ToolCall.objects.get(pk=draft.call_id)
    return draft.reason, call.status, draft.decided_by_id is not None


# --- Which is the last ---


def test_the_last_card_is_the_last_whatever_the_clocks_say(talk: Talk) -> None:
    first = talk.until_the_card()
    talk.say("pause")
    with behind(seconds=3):
        talk.say("resume")
    last = ActionDraft.objects.exclude(pk=first.pk).get()
    assert last.pk < first.pk
    with pytest.raises(CallDenied):
        talk.confirm(first)
    talk.confirm(last)
    assert Document.objects.count() == 1


def test_a_session_keeps_its_last_call_whatever_the_clocks_say(talk: Talk) -> None:
    first = talk.until_the_card()
    with behind(seconds=3):
        talk.say("change title to Harbour")
    last = ActionDraft.objects.waiting().get()
    assert last.call_id < first.call_id
    assert talk.session().tool_call_id == last.call_id
    talk.again(2)  # the run of the first tells what became of it
    assert talk.session().tool_call_id == last.call_id


# --- How it ends ---


def test_with_a_workflow_that_expires_its_card_expires(talk: Talk) -> None:
    draft = talk.until_the_card()
    talk.wait(days=400)
    assert services.expire_session(actor_change(talk)).has_expired
    assert ended(draft) == ("expired", CallStatus.EXPIRED, False)


def test_with_a_skill_that_is_gone_its_card_says_so(talk: Talk) -> None:
    draft = talk.until_the_card()
    with registry.only():
        talk.say("write")
    assert ended(draft) == ("skill_gone", CallStatus.CANCELLED, False)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("back", "taken_back"),
        ("write", "taken_back"),
        ("change title to Harbour", "replaced"),
        ("cancel", "refused"),
    ],
)
def test_what_the_person_did_instead_is_what_its_card_says(
    talk: Talk, said: str, reason: str
) -> None:
    draft = talk.until_the_card()
    talk.say(said)
    assert ended(draft) == (reason, CallStatus.DISMISSED, True)


# --- What is shown ---


def test_what_is_ready_says_so_and_whether_its_card_waits(
    alice: User, django_assert_num_queries: Any
) -> None:
    talk, other = Talk(alice), make_session(alice)
    [talk.say(text) for text in ALL]  # not permitted yet, so there is no card
    shown = {one.id: one for one in show_open(alice)}
    ready = shown[talk.session().pk]
    assert (ready.is_ready, ready.has_card, ready.revision) == (True, False, 5)
    assert (shown[other.pk].is_ready, shown[other.pk].has_card) == (False, False)
    grant_permission(talk.actor, WRITE)
    talk.say("write")
    with django_assert_num_queries(2):
        shown = {one.id: one for one in show_open(alice)}
    assert shown[talk.session().pk].has_card
    assert not shown[other.pk].has_card
    draft = talk.card()
    assert draft is not None
    talk.dismiss(draft)
    assert [one.has_card for one in show_open(alice, talk.conversation_id)] == [False]


def test_what_is_written_already_is_not_offered_to_be_shown(talk: Talk) -> None:
    draft = talk.until_the_card()
    talk.confirm(draft)
    assert talk.session().state == SessionState.ACTIVE
    assert [one.has_card for one in show_open(talk.user)] == [True]


def test_one_whose_skill_is_gone_is_not_ready(alice: User) -> None:
    session = make_session(alice, step="")
    with registry.only():
        shown = show(session, has_card=False)
    assert (shown.is_ready, shown.count, shown.label) == (False, 0, "")
