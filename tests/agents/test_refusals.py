"""Every way in which somebody is refused something: one refusal in the chart and for a rule."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Agent, AgentTool
from agents.testing import ScriptedClient
from config.base.errors import GatehouseError
from config.base.ids import uuid7
from config.base.models import User
from skills.background.services import create_background_job
from skills.bindings import switch_skill
from skills.context import SkillContext
from skills.definitions import PromptSkill
from skills.grants import grant_permission, revoke_permission
from skills.models import AuditEvent
from skills.registry import get_skill
from skills.runner import run_prompt_skill
from skills.selectors import list_denials
from tests.agents.conftest import Turn, asks, call, go_on, says
from tests.agents.notes_talk import WRITE, Talk
from tests.agents.reminder_orders import PERMISSION, order, page, run_now
from tests.clients import with_token
from tests.skills.alerts import evaluate, make_rule
from tools.errors import CallDenied
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]

EVENTS = "admin:skills_auditevent_changelist"


class Refused:
    """How alice comes to be refused, each time once."""

    def __init__(self, user: User, agent: Agent, turn: Turn, model: ScriptedClient) -> None:
        self.user, self.agent, self.turn, self.model = user, agent, turn, model
        self.actor = page(user)

    def tool_in_chat(self) -> None:
        recall = Tool.objects.get(slug="memory_search")
        AgentTool.objects.create(agent=self.agent, tool=recall)
        self.model.script = [asks(call("memory_search", {"query": "tea"})), says("No.")]
        self.turn(self.user, "Which tea?")

    def tool_by_rest(self) -> None:
        path = f"/api/agent-tools/{Tool.objects.get(slug='memory_search').pk}/execute/"
        body = {"input": {"query": "tea"}}
        User.objects.filter(pk=self.user.pk).update(is_staff=True, is_superuser=True)
        self.user.refresh_from_db()
        answer = with_token(self.user).post(path, body, format="json").json()
        assert answer["error"]["code"] == "permission_missing"

    def tool_skill_in_chat(self) -> None:
        self.model.script = [says("No.")]
        self.turn(self.user, "/memory-recall tea")

    def prompt_skill(self) -> None:
        skill = get_skill("weekly-review")
        assert isinstance(skill, PromptSkill)
        switch_skill(self.actor, "weekly-review", enabled=False)
        asked = SkillContext(actor=self.actor, text="/weekly-review", message_id=uuid7())
        assert run_prompt_skill(skill, asked).status == "denied"

    def job_as_it_is_made(self) -> None:
        with pytest.raises(GatehouseError):
            create_background_job(self.actor, order(self.agent))

    def job_as_it_starts(self) -> None:
        grant_permission(self.actor, PERMISSION)
        job = create_background_job(self.actor, order(self.agent))
        revoke_permission(self.actor, PERMISSION)
        run_now(job)

    def workflow(self) -> None:
        talk = Talk(self.turn, self.user)
        for text in ("/meeting-notes", "Budget", "Ann", "skip", "skip"):
            talk.say(text)

    def card_as_it_is_confirmed(self) -> None:
        grant_permission(self.actor, WRITE)
        talk = Talk(self.turn, self.user)
        talk.until_the_card()
        revoke_permission(self.actor, WRITE)
        with pytest.raises(CallDenied):
            talk.confirm()
        go_on(talk.run)


WAYS = [name for name in vars(Refused) if not name.startswith("_")]


@pytest.fixture
def refused(alice: User, guide: Agent, turn: Turn, model: ScriptedClient) -> Refused:
    return Refused(alice, guide, turn, model)


@pytest.mark.parametrize("way", WAYS)
def test_each_way_is_one_refusal(
    refused: Refused, operator: User, client: Client, way: str
) -> None:
    make_rule(operator, denials=1)
    getattr(refused, way)()
    [told] = list_denials()
    assert told.reason_code
    [alert] = evaluate()
    assert (alert.subject, alert.denials) == (told.subject, 1)
    client.force_login(operator)
    chart = client.get(reverse(EVENTS), {"outcome__exact": "denied"}).context["denials"]
    assert chart["total"] == 1
    assert chart["events"] == AuditEvent.objects.filter(outcome="denied").count()


def test_a_rule_over_a_skill_counts_its_refusals(refused: Refused, operator: User) -> None:
    make_rule(operator, denials=2, skill="memory-recall", reason_code="permission_missing")
    refused.tool_skill_in_chat()
    assert evaluate() == []
    refused.tool_skill_in_chat()
    [alert] = evaluate()
    assert alert.denials == 2


@pytest.mark.parametrize(
    "query",
    [
        {"action": "policy.decided"},
        {"action": "tool.call.denied"},
        {"q": "tool.call.denied"},
        {"tool": "memory_search"},
    ],
    ids=["the decision", "the call", "searched", "both"],
)
def test_the_chart_counts_whichever_event_is_shown(
    refused: Refused, operator: User, client: Client, query: dict[str, Any]
) -> None:
    refused.tool_in_chat()
    client.force_login(operator)
    assert client.get(reverse(EVENTS), query).context["denials"]["total"] == 1


def test_what_is_two_events_of_the_list_is_said_to_be_one_refusal(
    refused: Refused, operator: User, client: Client
) -> None:
    def page_of() -> str:
        return client.get(reverse(EVENTS)).content.decode()

    client.force_login(operator)
    refused.tool_skill_in_chat()
    assert "in this list tell of" not in page_of()
    refused.tool_in_chat()
    assert "3 denied events in this list tell of these 2 refusals" in page_of()
