"""Workflows beside their conversation, at their expiry, and when the conversation goes."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from agents.conversations import delete_conversation
from agents.models import Agent, Message
from agents.skill_definitions import GoalCheckInReminder
from agents.workflows import expire_due_workflows, purge_old_workflows
from config.base.actor import Actor, Origin
from config.base.models import User
from skills import registry
from skills.bindings import switch_skill
from skills.enums import SessionState
from skills.grants import Permission, grant_permission
from skills.models import SkillRun, WorkflowMove, WorkflowSession
from skills.workflows.moving import Change
from skills.workflows.services import end_session, go_back
from tests.agents.conftest import Turn
from tests.skills.factories import make_session
from tools.models import ActionDraft

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.fixture
def session(turn: Turn, alice: User, model: Any) -> WorkflowSession:
    """Alice has begun meeting notes and told their title."""
    run = turn(alice, "/meeting-notes")
    turn(alice, "Lagoon", conversation_id=run.conversation_id)
    return WorkflowSession.objects.get()


@pytest.fixture
def page(alice: User, client: Client) -> Client:
    client.force_login(alice)
    return client


def at(session: WorkflowSession, what: str) -> str:
    return f"/chat/workflows/{session.pk}/{what}/"


def text(page: Client, session: WorkflowSession) -> str:
    return page.get(f"/chat/{session.conversation_id}/").content.decode()


def test_the_conversation_says_which_is_under_way_and_where(
    page: Client, session: WorkflowSession
) -> None:
    shown = text(page, session)
    assert "Step 2 of 4: Attendees" in shown
    for what, button in (("pause", "Pause"), ("cancel", "Cancel")):
        assert at(session, what) in shown
        assert f"{button}: Meeting notes" in shown
    assert "style=" not in shown.partition("Step 2 of 4")[2].partition("</form>")[0]


def test_its_buttons_pause_resume_and_cancel(page: Client, session: WorkflowSession) -> None:
    for what, state in (("pause", "paused"), ("resume", "active"), ("cancel", "cancelled")):
        answer = page.post(at(session, what))
        assert (answer.status_code, answer["Location"]) == (
            302,
            f"/chat/{session.conversation_id}/",
        )
        session.refresh_from_db()
        assert session.state == state
    assert "Step 2 of 4" not in text(page, session)
    again = page.post(at(session, "cancel"), follow=True)
    assert "has ended" in again.content.decode()


def test_what_cannot_be_resumed_says_why(
    page: Client, session: WorkflowSession, alice: User
) -> None:
    page.post(at(session, "pause"))
    switch_skill(Actor(user=alice, origin=Origin.PAGE), "meeting-notes", enabled=False)
    answer = page.post(at(session, "resume"), follow=True)
    assert "switched off" in answer.content.decode()


def test_somebody_else_s_does_not_exist(
    client: Client, bob: User, session: WorkflowSession
) -> None:
    client.force_login(bob)
    assert client.post(at(session, "cancel")).status_code == 404
    assert client.get(at(session, "cancel")).status_code == 405
    session.refresh_from_db()
    assert session.state == "active"


def test_the_page_of_skills_lists_them(page: Client, session: WorkflowSession) -> None:
    shown = page.get("/skills/").content.decode()
    assert f"/chat/{session.conversation_id}/" in shown
    assert "Step 2 of 4: Attendees" in shown
    WorkflowSession.objects.all().delete()
    assert 'id="sessions"' not in page.get("/skills/").content.decode()


def test_housekeeping_ends_what_is_due_and_the_conversation_says_so(
    session: WorkflowSession, alice: User
) -> None:
    other = make_session(alice)
    WorkflowSession.objects.filter(pk=session.pk).update(expires_at=timezone.now())
    assert expire_due_workflows() == 1
    assert expire_due_workflows() == 0
    session.refresh_from_db()
    assert session.state == "expired"
    assert "expired" in Message.objects.get(role="notice").text
    assert SkillRun.objects.get().status == "expired"
    other.refresh_from_db()
    assert other.state == "active"


def test_one_whose_conversation_is_gone_expires_all_the_same(alice: User) -> None:
    session = make_session(alice, expires_at=timezone.now())
    assert expire_due_workflows() == 1
    session.refresh_from_db()
    assert session.state == "expired"


def test_what_ended_long_ago_is_thrown_away_with_its_answers(alice: User, settings: Any) -> None:
    settings.CALL_CONTENT_DAYS = 30
    old = make_session(
        alice, SessionState.CANCELLED, finished_at=timezone.now() - timedelta(days=31)
    )
    kept = [make_session(alice, SessionState.COMPLETED), make_session(alice)]
    assert purge_old_workflows() == 1
    assert purge_old_workflows() == 0
    assert not WorkflowSession.objects.filter(pk=old.pk).exists()
    assert WorkflowSession.objects.count() == len(kept)


def test_it_goes_with_its_conversation(session: WorkflowSession, alice: User, turn: Turn) -> None:
    grant_permission(
        Actor(user=alice, origin=Origin.PAGE),
        Permission(skill_id="meeting-notes", code="document:write"),
    )
    for said in ("Ann", "skip", "skip"):
        turn(alice, said, conversation_id=session.conversation_id)
    assert ActionDraft.objects.get().state == "draft"
    delete_conversation(Actor(user=alice, origin=Origin.PAGE), session.conversation_id)
    assert not WorkflowSession.objects.exists()
    assert not WorkflowMove.objects.exists()
    assert ActionDraft.objects.get().state == "dismissed"


def test_operators_see_steps_and_moves_and_no_word_of_an_answer(
    admin_client: Client, session: WorkflowSession, guide: Agent
) -> None:
    shown = admin_client.get(f"/admin/skills/workflowsession/{session.pk}/change/").content.decode()
    assert "attendees" in shown
    assert "answered" in shown
    assert "Lagoon" not in shown
    listed = admin_client.get("/admin/skills/workflowsession/").content.decode()
    assert "meeting-notes@1.0.0" in listed


def all_answered(session: WorkflowSession, turn: Turn, alice: User) -> None:
    for answer in ("Alice, Bob", "Launch in May", "skip"):
        turn(alice, answer, conversation_id=session.conversation_id)


def test_once_everything_is_answered_a_button_shows_what_will_be_written(
    page: Client, session: WorkflowSession, turn: Turn, alice: User, inline_runs: None
) -> None:
    assert "Show what will be written" not in text(page, session)
    all_answered(session, turn, alice)  # not permitted yet, so there is no card
    permission = Permission(skill_id="meeting-notes", code="document:write")
    grant_permission(Actor(user=alice, origin=Origin.PAGE), permission)
    assert "Show what will be written: Meeting notes" in text(page, session)
    answer = page.post(at(session, "write"), shown_now(session), follow=True)
    assert ActionDraft.objects.filter(state="draft").count() == 1
    shown = answer.content.decode()
    assert "Show what will be written" not in shown  # it is shown
    assert shown.index("Pause: Meeting notes") < shown.index('class="draft"')
    assert Message.objects.filter(role="user", text="write").count() == 1


def shown_now(session: WorkflowSession) -> dict[str, Any]:
    """What the form of a page that is loaded now posts."""
    session.refresh_from_db()
    return {"revision": session.revision}


@pytest.fixture
def ready(session: WorkflowSession, turn: Turn, alice: User) -> WorkflowSession:
    """Everything is answered, and there is no card yet: it was permitted afterwards."""
    all_answered(session, turn, alice)
    grant_permission(
        Actor(user=alice, origin=Origin.PAGE),
        Permission(skill_id="meeting-notes", code="document:write"),
    )
    return session


@pytest.mark.parametrize(
    ("state", "said"), [("paused", "is paused"), ("cancelled", "has ended")], ids=str
)
def test_a_stale_page_says_nothing_to_the_agent(
    page: Client, ready: WorkflowSession, inline_runs: None, state: str, said: str
) -> None:
    stale = shown_now(ready)
    page.post(at(ready, "pause" if state == "paused" else "cancel"))
    answer = page.post(at(ready, "write"), stale, follow=True)
    assert said in answer.content.decode()
    assert not Message.objects.filter(role="user", text="write").exists()


@pytest.mark.parametrize("revision", ["", "-1", "x", "99999999999999999999"])
def test_a_page_that_shows_another_revision_says_nothing_either(
    page: Client, ready: WorkflowSession, inline_runs: None, revision: str
) -> None:
    answer = page.post(at(ready, "write"), {"revision": revision}, follow=True)
    assert "has changed since you last looked" in answer.content.decode()
    assert not Message.objects.filter(role="user", text="write").exists()


def test_pressed_twice_on_one_page_there_is_one_card(
    page: Client, ready: WorkflowSession, inline_runs: None
) -> None:
    assert f'name="revision" value="{shown_now(ready)["revision"]}"' in text(page, ready)
    shown = shown_now(ready)
    for _press in range(2):
        answer = page.post(at(ready, "write"), shown, follow=True)
        assert "has changed" not in answer.content.decode()
    assert ActionDraft.objects.get().state == "draft"
    assert Message.objects.filter(role="user", text="write").count() == 1


def test_the_button_speaks_the_language_of_the_person(
    page: Client, ready: WorkflowSession, alice: User, inline_runs: None
) -> None:
    alice.language = "zh-hans"
    alice.save()
    page.post(at(ready, "write"), shown_now(ready))
    assert ActionDraft.objects.get().state == "draft"
    assert Message.objects.filter(role="user").latest("position").text == "写入"


def test_where_a_card_waits_no_page_offers_to_show_it(
    page: Client, ready: WorkflowSession, inline_runs: None
) -> None:
    assert "Show what will be written" in page.get("/skills/").content.decode()
    page.post(at(ready, "write"), shown_now(ready))
    assert "Show what will be written" not in page.get("/skills/").content.decode()
    assert "Show what will be written" not in text(page, ready)


def test_one_whose_skill_is_gone_offers_no_document(page: Client, ready: WorkflowSession) -> None:
    with registry.only(GoalCheckInReminder):
        pages = [text(page, ready), page.get("/skills/").content.decode()]
    for shown in pages:
        assert "not installed any more" in shown
        assert "Everything is answered" not in shown
        assert "Show what will be written" not in shown


def test_what_is_said_by_the_button_is_for_ones_own_workflow(
    client: Client, session: WorkflowSession, bob: User
) -> None:
    client.force_login(bob)
    assert client.post(at(session, "write")).status_code == 404


def test_a_card_that_a_correction_replaced_says_so(
    page: Client, session: WorkflowSession, turn: Turn, alice: User
) -> None:
    permission = Permission(skill_id="meeting-notes", code="document:write")
    grant_permission(Actor(user=alice, origin=Origin.PAGE), permission)
    all_answered(session, turn, alice)
    turn(alice, "change title to Harbour", conversation_id=session.conversation_id)
    old, new = ActionDraft.objects.order_by("created_at")
    assert (old.state, old.reason, new.state) == ("dismissed", "replaced", "draft")
    shown = text(page, session)
    assert "It was replaced by your correction" in shown
    assert "You dismissed it" not in shown
    assert "The person" not in shown


@pytest.mark.parametrize(
    ("how", "said", "decided"),
    [
        ("expires", "Nobody decided in time", ""),
        ("skill is gone", "not installed any more", ""),
        ("back", "It was taken back", "Taken back by you"),
    ],
)
def test_a_card_says_what_it_ended_with(
    page: Client,
    ready: WorkflowSession,
    turn: Turn,
    alice: User,
    how: str,
    said: str,
    decided: str,
) -> None:
    turn(alice, "write", conversation_id=ready.conversation_id)
    change = Change(Actor(user=alice, origin=Origin.PAGE), ready.pk, timezone.now())
    if how == "expires":
        WorkflowSession.objects.update(expires_at=timezone.now())
        assert expire_due_workflows() == 1
    elif how == "skill is gone":
        end_session(change)
    else:
        go_back(change)
    shown = text(page, ready)
    assert said in shown
    assert "Dismissed by you" not in shown
    assert "Corrected by you" not in shown
    assert decided in shown
    assert bool(ActionDraft.objects.get().decided_by_id) == bool(decided)
