"""What is for everybody in a project: an operator decides, and only who is in it is told."""

import pytest
from django.test import Client
from django.urls import reverse

from agents.memories.company import accept_memory, decline_memory, reveal_memory
from agents.memories.recall import recall
from agents.memories.services import create_memory, restore_memory
from agents.models import Agent, Memory, MemoryStatus
from config.base.actor import Actor, Origin
from config.base.errors import Conflict, NotFound, NotPermitted
from config.base.models import Project, User
from skills.models import AuditEvent

pytestmark = [pytest.mark.django_db, pytest.mark.both]

TEXT = "We meet on Mondays."


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


@pytest.fixture
def memory(alice: User, project: Project) -> Memory:
    return create_memory(page(alice), TEXT, project_id=project.pk)


def told(user: User, project: Project | None) -> list[str]:
    found = recall(user, None, "When do we meet?", project_id=project.pk if project else None)
    return [one.text for one in found]


def test_it_is_told_to_nobody_before_it_is_accepted(
    alice: User, bob: User, operator: User, stranger: User, project: Project, memory: Memory
) -> None:
    assert told(alice, project) == told(bob, project) == []
    accept_memory(page(operator), memory.pk)
    assert told(alice, project) == told(bob, project) == [TEXT]
    assert told(stranger, project) == told(bob, None) == []
    bob.memberships.all().delete()
    assert told(bob, project) == []
    assert told(alice, project) == [TEXT]


def test_what_is_declined_lies_in_its_owners_archive(
    alice: User, operator: User, project: Project, memory: Memory
) -> None:
    decline_memory(page(operator), memory.pk)
    memory.refresh_from_db()
    assert memory.status == MemoryStatus.ARCHIVED
    assert restore_memory(page(alice), memory.pk).status == MemoryStatus.PENDING
    assert told(alice, project) == []


def test_only_operators_decide_and_once(alice: User, operator: User, memory: Memory) -> None:
    for decide in (accept_memory, decline_memory, reveal_memory):
        with pytest.raises(NotPermitted):
            decide(page(alice), memory.pk)
    accept_memory(page(operator), memory.pk)
    for decide in (accept_memory, decline_memory, reveal_memory):
        with pytest.raises(Conflict) as refused:
            decide(page(operator), memory.pk)
        assert refused.value.code == "already_decided"
    assert [
        one.action for one in AuditEvent.objects.filter(target_id=str(memory.pk)).order_by("pk")
    ] == [
        "memory.created",
        "memory.accepted",
    ]


def test_what_it_replaces_stays_until_it_is_accepted(
    alice: User, operator: User, project: Project, memory: Memory
) -> None:
    accept_memory(page(operator), memory.pk)
    newer = create_memory(
        page(alice), "We meet on Tuesdays.", project_id=project.pk, replaces=memory.pk
    )
    assert told(alice, project) == [TEXT]
    accept_memory(page(operator), newer.pk)
    assert told(alice, project) == ["We meet on Tuesdays."]
    memory.refresh_from_db()
    assert (memory.status, memory.superseded_by) == (MemoryStatus.SUPERSEDED, newer)


def test_nobody_writes_into_a_project_they_are_not_in(stranger: User, project: Project) -> None:
    with pytest.raises(NotFound):
        create_memory(page(stranger), TEXT, project_id=project.pk)


def test_a_colleagues_word_is_somebody_elses(
    alice: User, bob: User, operator: User, project: Project, memory: Memory
) -> None:
    accept_memory(page(operator), memory.pk)
    [hers] = recall(alice, None, "When do we meet?", project_id=project.pk)
    [his] = recall(bob, None, "When do we meet?", project_id=project.pk)
    assert (hers.is_own, his.is_own) == (True, False)


class TestConsole:
    def test_an_operator_reads_and_decides_and_both_are_on_record(
        self, operator: User, memory: Memory, client: Client
    ) -> None:
        client.force_login(operator)
        address = reverse("admin:agents_memory_decide", args=[memory.pk])
        assert TEXT not in client.get(address).content.decode()
        assert not AuditEvent.objects.filter(action="memory.viewed").exists()
        assert TEXT in client.post(address, {"act": "show"}).content.decode()
        assert AuditEvent.objects.filter(action="memory.viewed").count() == 1
        assert client.post(address, {"act": "accept"}).status_code == 302
        memory.refresh_from_db()
        assert memory.status == MemoryStatus.ACTIVE
        assert client.post(address, {"act": "show"}).status_code == 302

    def test_a_private_one_is_shown_to_no_operator(
        self, alice: User, operator: User, client: Client
    ) -> None:
        private = create_memory(page(alice), TEXT)
        client.force_login(operator)
        address = reverse("admin:agents_memory_decide", args=[private.pk])
        for act in ("show", "accept", "decline"):
            response = client.post(address, {"act": act}, follow=True)
            assert TEXT not in response.content.decode()
        private.refresh_from_db()
        assert private.status == MemoryStatus.ACTIVE

    def test_staff_without_the_permission_can_not(self, memory: Memory, client: Client) -> None:
        staff = User.objects.create_user("staff", is_staff=True)
        client.force_login(staff)
        address = reverse("admin:agents_memory_decide", args=[memory.pk])
        assert client.post(address, {"act": "accept"}).status_code == 403


def test_it_goes_with_its_project(alice: User, guide: Agent, memory: Memory) -> None:
    create_memory(page(alice), "Likes tea.")
    memory.project.delete()  # type: ignore[union-attr]  # it has one
    assert [one.text for one in Memory.objects.all()] == ["Likes tea."]
