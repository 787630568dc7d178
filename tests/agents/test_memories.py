"""Keeping and forgetting what is remembered of a person."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from agents.memories.services import create_memory, forget_memory
from agents.models import Agent, Memory, MemoryStatus
from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError, InvalidInput, NotFound
from config.base.ids import uuid7
from config.base.models import User
from skills.models import AuditEvent
from tests.plans import analyze, assert_uses_index

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def actor_of(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def events() -> list[tuple[str, str]]:
    rows = AuditEvent.objects.filter(target_type="memory").order_by("pk")
    return list(rows.values_list("action", "target_id"))


def test_what_is_kept_is_its_owners_and_the_event_has_none_of_its_words(
    alice: User, bob: User, guide: Agent
) -> None:
    memory = create_memory(actor_of(alice), "  Likes tea. ", agent_id=guide.pk, importance=4)
    assert (memory.text, memory.importance, memory.status) == ("Likes tea.", 4, "active")
    assert (memory.agent, memory.provenance) == (guide, ["own"])
    assert list(Memory.objects.for_user(alice)) == [memory]
    assert not Memory.objects.for_user(bob).exists()
    assert events() == [("memory.created", str(memory.pk))]
    event = AuditEvent.objects.get(action="memory.created")
    assert event.metadata == {
        "agent": str(guide.pk),
        "importance": 4,
        "visibility": "private",
    }


@pytest.mark.parametrize(
    ("text", "importance", "code"),
    [
        ("", 3, "required"),
        (" \n", 3, "required"),
        ("x" * 2_001, 3, "too_long"),
        ("a\x00b", 3, "invalid"),
        ("a\ud800", 3, "invalid"),
        ("tea", 0, "invalid"),
        ("tea", 6, "invalid"),
    ],
)
def test_what_can_not_be_kept_is_refused(
    alice: User, text: str, importance: int, code: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_memory(actor_of(alice), text, importance=importance)
    assert refused.value.code == code
    assert not Memory.objects.exists()
    assert not events()


def test_the_longest_text_is_kept(alice: User) -> None:
    assert len(create_memory(actor_of(alice), "茶" * 2_000).text) == 2_000


@pytest.mark.parametrize("why", ["unheard of", "switched off", "for others"])
def test_it_is_of_an_agent_that_one_may_use(alice: User, guide: Agent, why: str) -> None:
    changes: dict[str, Any] = {"switched off": {"enabled": False}, "for others": {"roles": ["x"]}}
    Agent.objects.filter(pk=guide.pk).update(**changes.get(why, {"max_steps": 4}))
    with pytest.raises(NotFound):
        create_memory(
            actor_of(alice), "Likes tea.", agent_id=uuid7() if why == "unheard of" else guide.pk
        )
    assert not Memory.objects.exists()


def test_what_is_forgotten_loses_its_words_once(alice: User) -> None:
    memory = create_memory(actor_of(alice), "Likes tea.")
    forget_memory(actor_of(alice), memory.pk)
    forget_memory(actor_of(alice), memory.pk)
    memory.refresh_from_db()
    assert (memory.text, memory.status) == ("", MemoryStatus.FORGOTTEN)
    assert [action for action, _id in events()] == ["memory.created", "memory.forgotten"]


def test_nobody_forgets_for_somebody_else(alice: User, bob: User, operator: User) -> None:
    memory = create_memory(actor_of(alice), "Likes tea.")
    for user in (bob, operator):
        with pytest.raises(NotFound):
            forget_memory(actor_of(user), memory.pk)
    memory.refresh_from_db()
    assert memory.status == MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    "values",
    [{"status": "forgotten"}, {"text": ""}, {"importance": 0}, {"importance": 6}],
    ids=str,
)
def test_the_database_keeps_what_the_service_promises(alice: User, values: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Memory.objects.create(**{"owner": alice, "text": "Likes tea.", **values})


def test_an_agent_that_goes_takes_its_memories_along(alice: User, guide: Agent) -> None:
    """With the agent set to none they would be told to all others."""
    other = Agent.objects.create(slug="other", name="Other")
    create_memory(actor_of(alice), "Likes tea.", agent_id=other.pk)
    of_all = create_memory(actor_of(alice), "Likes milk.")
    other.delete()
    assert list(Memory.objects.all()) == [of_all]


def test_an_error_has_a_code_and_an_http_status(alice: User) -> None:
    with pytest.raises(GatehouseError) as refused:
        forget_memory(actor_of(alice), uuid7())
    assert (refused.value.code, refused.value.http_status) == ("not_found", 404)


def test_recallable_ones_are_found_by_their_index(alice: User, bob: User, guide: Agent) -> None:
    Memory.objects.bulk_create(
        Memory(
            owner=alice if n % 50 == 0 else bob,
            text="Likes tea.",
            status=MemoryStatus.ARCHIVED if n % 3 else MemoryStatus.ACTIVE,
        )
        for n in range(1_500)
    )
    analyze(Memory)
    rows = Memory.objects.for_user(alice).recallable(guide.pk)
    assert_uses_index(rows, "memory_newest_of_owner")
