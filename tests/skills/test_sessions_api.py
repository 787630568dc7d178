"""The REST of workflows: one's own, with what was answered; paused, resumed and cancelled there."""

from typing import Any
from unittest.mock import Mock

import pytest
from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.models import Scope, User
from config.base.wake import listen, unlisten
from skills import registry
from skills.bindings import switch_skill
from skills.enums import SessionState
from skills.grants import Permission, grant_permission
from skills.models import AuditEvent, WorkflowSession
from tests.skills.factories import make_session
from tests.skills.workflow_talk import Talk
from tests.tools.api import Api, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents")]

SESSIONS = "/api/skills/sessions/"


@pytest.fixture
def api(alice: User) -> Api:
    return Api(alice)


def at(session: WorkflowSession, what: str = "") -> str:
    return f"{SESSIONS}{session.pk}/{what and what + '/'}"


def test_a_workflow_tells_its_steps_and_answers(api: Api, alice: User) -> None:
    talk = Talk(alice)
    for text in ("/meeting-notes", "Budget", "Ann, Bob", "skip"):
        talk.say(text)
    status, body = api("GET", at(talk.session()))
    assert status == 200
    assert (body["name"], body["state"], body["step"]) == ("Meeting notes", "active", "actions")
    assert [(one["name"], one["state"], one["answer"], one["text"]) for one in body["steps"]] == [
        ("title", "answered", "Budget", "Budget"),
        ("attendees", "answered", ["Ann", "Bob"], "Ann; Bob"),
        ("decisions", "skipped", None, ""),
        ("actions", "asked", None, ""),
    ]
    assert body["conversation"] == str(talk.conversation_id)
    assert body["message"] == str(talk.heard[0][0])


def test_the_list_has_pages_one_s_own_and_no_answers(
    api: Api, alice: User, bob: User, django_assert_num_queries: Any
) -> None:
    make_session(bob)
    for _n in range(25):
        make_session(alice, SessionState.PAUSED)
    with django_assert_num_queries(4):  # the session, its user, how many, the rows
        status, body = api("GET", SESSIONS)
    assert (status, body["count"], len(body["results"])) == (200, 25, 20)
    assert "Budget" not in str(body)
    assert error_of(api("GET", f"{SESSIONS}?ordering=step"))[:2] == (400, "invalid")
    assert error_of(api("GET", f"{SESSIONS}?state=active"))[0] == 400


def test_paused_resumed_and_cancelled(api: Api, alice: User) -> None:
    session = make_session(alice)
    for what, state in (("pause", "paused"), ("pause", "paused"), ("resume", "active")):
        status, body = api("POST", at(session, what))
        assert (status, body["state"]) == (200, state)
    assert api("POST", at(session, "cancel"))[1]["state"] == "cancelled"
    for what in ("pause", "resume", "cancel"):
        assert error_of(api("POST", at(session, what)))[:2] == (409, "workflow_over")
    events = AuditEvent.objects.filter(target_id=str(session.pk)).order_by("pk")
    assert [event.action for event in events] == [
        "workflow.paused",
        "workflow.resumed",
        "workflow.cancelled",
    ]
    assert {event.skill for event in events} == {"meeting-notes"}


def test_cancelled_while_a_card_waits_it_wakes_who_drives_the_run(
    api: Api, alice: User, django_capture_on_commit_callbacks: Any
) -> None:
    talk, woken = Talk(alice), Mock()
    grant_permission(talk.actor, Permission(skill_id="meeting-notes", code="document:write"))
    talk.until_the_card()
    listen(woken)
    try:
        with django_capture_on_commit_callbacks(execute=True):
            api("POST", at(talk.session(), "cancel"))
    finally:
        unlisten(woken)
    woken.assert_called()


def test_what_cannot_be_resumed_says_why(api: Api, alice: User) -> None:
    paused = make_session(alice, SessionState.PAUSED)
    other = make_session(alice, conversation_id=paused.conversation_id)
    assert error_of(api("POST", at(paused, "resume")))[:2] == (409, "workflow_active")
    api("POST", at(other, "cancel"))
    switch_skill(Actor(user=alice, origin=Origin.PAGE), "meeting-notes", enabled=False)
    assert error_of(api("POST", at(paused, "resume")))[:2] == (403, "skill_disabled")
    with registry.only():
        assert error_of(api("POST", at(paused, "resume")))[:2] == (404, "unknown_skill")
        assert api("GET", at(paused))[1]["steps"] == []
        assert api("POST", at(paused, "cancel"))[0] == 200


def test_one_that_is_due_is_over(api: Api, alice: User) -> None:
    session = make_session(alice, SessionState.PAUSED, expires_at=timezone.now())
    assert error_of(api("POST", at(session, "resume")))[:2] == (409, "workflow_over")


@pytest.mark.parametrize("what", ["", "pause", "resume", "cancel"])
def test_what_is_somebody_else_s_does_not_exist(bob: User, alice: User, what: str) -> None:
    session = make_session(alice)
    method = "POST" if what else "GET"
    assert error_of(Api(bob)(method, at(session, what)))[:2] == (404, "not_found")
    assert Api()(method, at(session, what))[0] == 401
    wrong = "GET" if what else "POST"
    assert Api(alice)(wrong, at(session, what))[0] == 405
    session.refresh_from_db()
    assert session.state == "active"


def test_a_token_needs_the_scope(alice: User) -> None:
    session = make_session(alice)
    api = Api(alice, scopes=[Scope.TOOLS_READ])
    assert error_of(api("GET", SESSIONS))[:2] == (403, "scope_missing")
    assert error_of(api("POST", at(session, "cancel")))[:2] == (403, "scope_missing")
    assert Api(alice, scopes=[Scope.SKILLS])("GET", SESSIONS)[0] == 200
