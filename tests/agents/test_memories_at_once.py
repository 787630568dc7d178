"""What happens to memories at once: everybody locks rows first, then scopes of the index."""

from collections.abc import Callable
from contextlib import suppress

import pytest

from agents.conversations import delete_conversation
from agents.memories.company import accept_memory
from agents.memories.services import create_memory, edit_memory
from agents.models import Agent, Conversation, Memory, MemoryStatus
from config.base.actor import Actor, Origin
from config.base.errors import Conflict
from config.base.models import Project, User
from tests.agents.cards import conversation_of
from tests.threads import both_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both]

TIMES = 12


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def said_in(talk: Conversation, text: str, **values: str) -> Memory:
    actor = Actor(user=talk.owner, origin=Origin.CHAT, conversation_id=talk.pk)
    return create_memory(actor, text, **values)  # type: ignore[arg-type]  # its texts only


def changing(memories: list[Memory]) -> Callable[[], None]:
    """Other words for each; one that was replaced before is left."""

    def work() -> None:
        for number, memory in enumerate(memories, start=1):
            with suppress(Conflict):
                edit_memory(page(memory.owner), memory.pk, importance=number % 2 + 4)

    return work


def test_a_conversation_goes_while_what_was_said_in_it_is_changed(
    alice: User, guide: Agent
) -> None:
    talks = [conversation_of(alice, guide) for _ in range(TIMES)]
    kept = [said_in(talk, "Likes tea.") for talk in talks]
    for talk in talks:
        said_in(talk, "Is in a hurry.", layer="session")

    def end() -> None:
        for talk in talks:
            delete_conversation(page(alice), talk.pk)

    both_at_once(end, changing([memory for memory in kept for _ in range(4)]))
    assert set(Memory.objects.values_list("conversation_id", flat=True)) == {None}
    assert Memory.objects.filter(status=MemoryStatus.ARCHIVED).count() == TIMES


def test_one_is_replaced_while_it_is_changed(alice: User) -> None:
    older = [create_memory(page(alice), f"Lives at number {n}.") for n in range(TIMES)]

    def replace() -> None:
        for one in older:
            create_memory(page(alice), "Lives elsewhere.", replaces=one.pk)

    both_at_once(replace, changing(older))
    assert Memory.objects.filter(status=MemoryStatus.ACTIVE).count() == TIMES


def test_one_of_the_company_is_replaced_while_it_is_changed(
    alice: User, operator: User, project: Project
) -> None:
    older = [of_company(alice, operator, project) for _ in range(TIMES)]
    newer = [
        create_memory(page(alice), "We meet on Tuesdays.", project_id=project.pk, replaces=one.pk)
        for one in older
    ]

    def accept() -> None:
        for one in newer:
            accept_memory(page(operator), one.pk)

    both_at_once(accept, changing(older))
    assert Memory.objects.filter(status=MemoryStatus.SUPERSEDED).count() == TIMES


def of_company(owner: User, operator: User, project: Project) -> Memory:
    memory = create_memory(page(owner), "We meet on Mondays.", project_id=project.pk)
    return accept_memory(page(operator), memory.pk)
