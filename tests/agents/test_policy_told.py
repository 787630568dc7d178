"""What a person may do, told to the operator: of them, and with links to what they gave."""

import pytest
from django.test import Client
from django.urls import reverse

from agents.models import Agent
from config.base.models import User
from skills.background.services import cancel_background_job, create_background_job
from skills.bindings import switch_skill
from skills.grants import Permission, grant_permission
from skills.policy_table import PolicyQuestion, look_at
from tests.agents.reminder_orders import DAILY, PERMISSION, order, page
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]

RECALL = Permission(skill_id="memory-recall", code="memory:read")


@pytest.fixture
def shown(client: Client, operator: User, alice: User, guide: Agent) -> "Shown":
    client.force_login(operator)
    return Shown(client, alice, guide)


class Shown:
    def __init__(self, client: Client, user: User, agent: Agent) -> None:
        self.client, self.address = client, reverse("admin:base_user_policy", args=[user.pk])
        self.agent = agent

    def page(self, **query: str) -> str:
        asked = {"agent": str(self.agent.pk), **query}
        return self.client.get(self.address, asked).content.decode()


def test_reasons_are_told_of_the_person(shown: Shown, alice: User) -> None:
    grant = grant_permission(page(alice), RECALL)
    switch_skill(page(alice), "weekly-review", enabled=False)
    told = shown.page()
    assert "alice has granted memory:read." in told
    assert "The skill “Weekly review” is switched off for alice." in told
    assert "alice has not granted the permission: " in told
    for own in ("You have", "you have", "switch it on under", "Grant it under"):
        assert own not in told
    assert told.count(f"/admin/skills/permissiongrant/{grant.pk}/change/") >= 2
    assert "/admin/skills/skillbinding/?q=alice+weekly-review" in told


def test_the_person_is_told_as_ever(alice: User, guide: Agent) -> None:
    grant_permission(page(alice), RECALL)
    question = PolicyQuestion(person=alice, agent_id=guide.pk)
    reasons = [row.decision.decisive.reason for row in look_at(page(alice), question)[:]]
    assert "You have granted memory:read." in reasons
    assert not any("alice" in reason for reason in reasons)


def test_what_is_left_out_while_nobody_is_there_is_said(shown: Shown) -> None:
    Tool.objects.filter(slug="fetch").update(enabled=False)
    left_out = "Skills of conversations are left out"
    assert left_out not in shown.page()
    told = shown.page(unattended="on")
    assert left_out in told
    assert "Memory recall" not in told
    assert "waits for alice" in told


def test_the_jobs_of_skills_are_listed_with_status_and_time(
    client: Client, operator: User, alice: User, guide: Agent
) -> None:
    grant_permission(page(alice), PERMISSION)
    once = create_background_job(page(alice), order(guide))
    create_background_job(page(alice), order(guide, scheduled_at=None, recurrence=DAILY))
    client.force_login(operator)
    address = reverse("admin:skills_skilljob_changelist")
    listed = client.get(address).content.decode()
    for word in ("scheduled", "repeats", "30 8 * * *", f"…{str(once.pk)[-8:]}"):
        assert word in listed
    cancel_background_job(page(alice), once.pk)
    assert "cancelled" in client.get(address).content.decode()
