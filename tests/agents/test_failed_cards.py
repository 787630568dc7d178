"""A workflow whose card failed writes no more than one document, and none once it is cancelled."""

from itertools import count
from typing import Any

import pytest

from config.base.actor import Actor, Origin
from config.base.models import User
from documents.models import Document
from skills.grants import Permission, grant_permission
from skills.models import WorkflowSession
from tests.agents.conftest import Turn
from tests.tools.api import Api, error_of
from tools.models import ActionDraft, Tool

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both,
    pytest.mark.usefixtures("inline_runs"),
]

DRAFTS = "/api/agent/actions/"
KEYS = count()


class Talk:
    def __init__(self, turn: Turn, user: User) -> None:
        self._turn, self._user = turn, user
        self._conversation: Any = turn(user, "/meeting-notes").conversation_id

    def say(self, *texts: str) -> None:
        for text in texts:
            self._turn(self._user, text, conversation_id=self._conversation)


@pytest.fixture
def api(alice: User) -> Api:
    return Api(alice)


@pytest.fixture
def talk(turn: Turn, alice: User, model: Any) -> Talk:
    """Up to the card."""
    code = Permission(skill_id="meeting-notes", code="document:write")
    grant_permission(Actor(user=alice, origin=Origin.PAGE), code)
    talk = Talk(turn, alice)
    talk.say("Budget", "Ann, Bob", "Spend less", "Ann: cut costs")
    return talk


def newest() -> ActionDraft:
    return ActionDraft.objects.latest("created_at")


def confirm(api: Api, draft: ActionDraft) -> tuple[int, Any]:
    draft.refresh_from_db()
    body = {"expected_version": draft.version, "idempotency_key": f"key-{next(KEYS)}"}
    answer: tuple[int, Any] = api("POST", f"{DRAFTS}{draft.pk}/confirm/", body)
    return answer


def revive(api: Api, draft: ActionDraft) -> tuple[int, Any]:
    draft.refresh_from_db()
    body = {"expected_version": draft.version, "arguments": {}}
    answer: tuple[int, Any] = api("PATCH", f"{DRAFTS}{draft.pk}/", body)
    return answer


def fail(api: Api) -> ActionDraft:
    """Confirmed while the tool's config is broken."""
    draft = newest()
    Tool.objects.filter(slug="document").update(config={"no_such_field": 1})
    assert error_of(confirm(api, draft))[:2] == (409, "conditions_changed")
    Tool.objects.filter(slug="document").update(config={})
    draft.refresh_from_db()
    assert draft.state == "failed"
    return draft


def test_a_failed_card_of_a_workflow_under_way_is_tried_again(talk: Talk, api: Api) -> None:
    draft = fail(api)
    assert revive(api, draft)[0] == 200
    assert confirm(api, draft)[0] == 200
    assert Document.objects.count() == 1
    assert WorkflowSession.objects.get().state == "completed"


def test_a_cancelled_workflow_writes_nothing_by_its_failed_card(talk: Talk, api: Api) -> None:
    draft = fail(api)
    session = WorkflowSession.objects.get()
    assert api("POST", f"/api/skills/sessions/{session.pk}/cancel/")[0] == 200
    draft.refresh_from_db()
    assert draft.state == "dismissed"
    assert error_of(revive(api, draft))[:2] == (409, "already_decided")
    assert error_of(confirm(api, draft))[:2] == (409, "already_decided")
    assert not Document.objects.exists()


def test_asked_again_it_writes_one_document_by_one_card(talk: Talk, api: Api) -> None:
    failed = fail(api)
    talk.say("write")
    card = newest()
    assert card.pk != failed.pk
    assert error_of(revive(api, failed))[:2] == (409, "already_decided")
    assert confirm(api, card)[0] == 200
    assert error_of(revive(api, failed))[:2] == (409, "already_decided")
    assert error_of(confirm(api, failed))[:2] == (409, "already_decided")
    assert Document.objects.count() == 1


def test_one_revived_before_it_is_asked_again_is_ended_by_that(talk: Talk, api: Api) -> None:
    revived = fail(api)
    assert revive(api, revived)[0] == 200
    talk.say("write")
    assert error_of(confirm(api, revived))[:2] == (409, "already_decided")
    assert confirm(api, newest())[0] == 200
    assert Document.objects.count() == 1


@pytest.mark.parametrize("state", ["cancelled", "completed", "expired"])
def test_one_that_was_left_behind_is_refused_by_the_gate(talk: Talk, api: Api, state: str) -> None:
    """As before a workflow's end ended its failed card, too."""
    draft = fail(api)
    WorkflowSession.objects.update(state=state, finished_at=draft.updated_at)
    status, body = revive(api, draft)
    assert error_of((status, body))[:2] == (403, "denied")
    assert "workflow_over" in str(body)
    ActionDraft.objects.update(state="draft")
    assert error_of(confirm(api, draft))[:2] == (403, "denied")
    assert not Document.objects.exists()


def test_one_with_another_card_after_it_is_refused_by_the_gate(talk: Talk, api: Api) -> None:
    failed = fail(api)
    talk.say("write")
    ActionDraft.objects.filter(pk=failed.pk).update(state="failed")
    assert error_of(revive(api, failed))[:2] == (403, "denied")
    ActionDraft.objects.filter(pk=failed.pk).update(state="draft")
    assert error_of(confirm(api, failed))[:2] == (403, "denied")
    assert confirm(api, newest())[0] == 200
    assert Document.objects.count() == 1
