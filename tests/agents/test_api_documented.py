"""What is sent stands in the documentation, field by field: nothing more, nothing less."""

import pytest

from agents.api.serializers import (
    ClarificationSerializer,
    DraftSerializer,
    EventSerializer,
    QuestionSerializer,
    ResponseSerializer,
    UsageSerializer,
)
from agents.models import Agent
from agents.runs.response import ask_for_project, build_response
from config.base.models import User
from tests.agents.cards import conversation_of, parked_delete, run_of
from tools.drafts.represent import draft_json

pytestmark = pytest.mark.django_db


def test_a_draft_has_the_documented_fields(alice: User) -> None:
    assert set(draft_json(parked_delete(alice))) == set(DraftSerializer().fields)


def test_a_response_has_the_documented_fields(alice: User) -> None:
    agent = Agent.objects.create(slug="guide", name="Guide")
    sent = build_response(run_of(conversation_of(alice, agent)))
    assert set(sent) | {"action_drafts"} == set(ResponseSerializer().fields)
    assert set(sent["usage"]) == set(UsageSerializer().fields)


def test_a_question_that_comes_first() -> None:
    asked = ask_for_project("Which?", [{"slug": "demo", "name": "Demo"}])["clarification"]
    assert set(asked) == set(ClarificationSerializer().fields)
    assert set(asked["fields"][0]) == set(QuestionSerializer().fields)


def test_an_event_is_documented_as_id_name_and_data() -> None:
    assert set(EventSerializer().fields) == {"id", "event", "data"}
