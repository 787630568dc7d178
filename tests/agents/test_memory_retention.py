"""What is not remembered for ever, and what a recall leaves behind."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.memories.recall import note_use, recall
from agents.memories.retention import archive_ended_sessions, purge_old_memories
from agents.memories.services import archive_memory, create_memory, forget_memory
from agents.models import Agent, Conversation, Memory
from config.base.actor import Actor, Origin
from config.base.models import User
from documents.models import SearchEntry
from skills.models import AuditEvent
from tests.agents.cards import conversation_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


@pytest.fixture
def talk(alice: User, guide: Agent) -> Conversation:
    return conversation_of(alice, guide)


@pytest.fixture
def session(alice: User, talk: Conversation) -> Memory:
    actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=talk.pk)
    return create_memory(actor, "Is in a hurry.", layer="session")


def status_of(memory: Memory) -> str:
    memory.refresh_from_db()
    return memory.status


def test_one_for_a_conversation_ends_when_that_rests(talk: Conversation, session: Memory) -> None:
    assert archive_ended_sessions() == 0
    assert status_of(session) == "active"
    long_ago = timezone.now() - timedelta(hours=25)
    Conversation.objects.filter(pk=talk.pk).update(updated_at=long_ago)
    assert archive_ended_sessions() == 1
    assert archive_ended_sessions() == 0
    assert status_of(session) == "archived"
    assert not SearchEntry.objects.exists()
    assert AuditEvent.objects.get(action="memory.archived").metadata["ended"] == "conversation"


def test_one_for_good_stays(alice: User, talk: Conversation) -> None:
    actor = Actor(user=alice, origin=Origin.CHAT, conversation_id=talk.pk)
    memory = create_memory(actor, "Likes tea.")
    Conversation.objects.all().delete()
    assert archive_ended_sessions() == 0
    assert status_of(memory) == "active"


def test_the_archive_is_emptied_in_time(alice: User) -> None:
    old, fresh, active = (create_memory(page(alice), text) for text in ("a", "b", "c"))
    replaced = create_memory(page(alice), "d")
    create_memory(page(alice), "e", replaces=replaced.pk)
    forgotten = create_memory(page(alice), "f")
    forget_memory(page(alice), forgotten.pk)
    for one in (old, fresh):
        archive_memory(page(alice), one.pk)
    long_ago = timezone.now() - timedelta(days=366)
    Memory.objects.exclude(pk=fresh.pk).update(updated_at=long_ago)
    assert purge_old_memories() == 2
    assert purge_old_memories() == 0
    assert set(Memory.objects.values_list("text", flat=True)) == {"b", "c", "e", ""}
    assert AuditEvent.objects.filter(action="memory.purged").count() == 2
    assert status_of(active) == "active"


def test_that_it_was_recalled_is_noted_once_a_day(
    alice: User, django_assert_num_queries: object
) -> None:
    memory = create_memory(page(alice), "Likes tea.")
    note_use(recall(alice, None, "tea"))
    memory.refresh_from_db()
    first, changed = memory.last_used_at, memory.updated_at
    assert first is not None
    with django_assert_num_queries(0):  # type: ignore[operator]  # a fixture without a type
        note_use([])
    note_use(recall(alice, None, "tea"))
    memory.refresh_from_db()
    assert (memory.last_used_at, memory.updated_at) == (first, changed)
    Memory.objects.update(last_used_at=first - timedelta(hours=25))
    note_use(recall(alice, None, "tea"))
    memory.refresh_from_db()
    assert memory.last_used_at is not None
    assert memory.last_used_at >= first


def test_nothing_of_who_is_gone_is_in_the_index(alice: User) -> None:
    create_memory(page(alice), "Likes tea.")
    assert SearchEntry.objects.exists()
    alice.delete()
    assert not SearchEntry.objects.exists()
