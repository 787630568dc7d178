"""Whatever people did, in whatever order: nobody is told what is not theirs to know, or not any
more; by recall, by a search, over the API, and by whoever asks the index past them.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.memories import services
from agents.memories.company import accept_memory, decline_memory
from agents.memories.indexing import KIND
from agents.memories.recall import recall
from agents.memories.selectors import search_memories
from agents.models import Agent, Memory
from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError
from config.base.models import Membership, Project, User
from documents.models import SearchEntry

pytestmark = [pytest.mark.django_db, pytest.mark.both]

WORD = "quince"
PEOPLE, PROJECTS, AGENTS = range(3), range(2), (None, 0, 1)

person = st.sampled_from(PEOPLE)
which = st.integers(0, 7)  # of those that there are, counted round
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("create"),
            person,
            st.sampled_from(AGENTS),
            st.sampled_from((None, *PROJECTS)),
            st.one_of(st.none(), which),
        ),
        st.tuples(st.sampled_from(("edit", "archive", "restore", "forget")), person, which),
        st.tuples(st.just("forget_older"), person, which),
        st.tuples(st.just("show"), person, which, st.sampled_from((None, *PROJECTS))),
        st.tuples(st.sampled_from(("accept", "decline")), which),
        st.tuples(st.sampled_from(("join", "leave")), person, st.sampled_from(PROJECTS)),
    ),
    min_size=4,
    max_size=14,
)


@dataclass
class World:
    people: list[User]
    operator: User
    projects: list[Project]
    agents: list[Agent]
    ids: list[UUID] = field(default_factory=list)

    def run(self, step: tuple[Any, ...]) -> None:
        name, *rest = step
        with suppress(GatehouseError):  # refused: what that leaves is looked at below
            getattr(self, name)(*rest)

    def actor(self, number: int) -> Actor:
        return Actor(user=self.people[number], origin=Origin.PAGE)

    def id(self, number: int) -> UUID:
        return self.ids[number % len(self.ids)] if self.ids else self.operator.pk

    def create(
        self, who: int, agent: int | None, project: int | None, replaces: int | None
    ) -> None:
        made = services.create_memory(
            self.actor(who),
            f"{WORD} {len(self.ids)}",
            agent_id=None if agent is None else self.agents[agent].pk,
            project_id=None if project is None else self.projects[project].pk,
            replaces=None if replaces is None else self.id(replaces),
        )
        self.ids.append(made.pk)

    def edit(self, who: int, n: int) -> None:
        services.edit_memory(self.actor(who), self.id(n), text=f"{WORD} again {n}")

    def archive(self, who: int, n: int) -> None:
        services.archive_memory(self.actor(who), self.id(n))

    def restore(self, who: int, n: int) -> None:
        services.restore_memory(self.actor(who), self.id(n))

    def forget(self, who: int, n: int) -> None:
        services.forget_memory(self.actor(who), self.id(n))

    def forget_older(self, who: int, n: int) -> None:
        services.forget_memory(self.actor(who), self.id(n), with_older=True)

    def show(self, who: int, n: int, project: int | None) -> None:
        project_id = None if project is None else self.projects[project].pk
        services.show_memory_to(self.actor(who), self.id(n), project_id)

    def accept(self, n: int) -> None:
        accept_memory(Actor(user=self.operator, origin=Origin.ADMIN), self.id(n))

    def decline(self, n: int) -> None:
        decline_memory(Actor(user=self.operator, origin=Origin.ADMIN), self.id(n))

    def join(self, who: int, project: int) -> None:
        Membership.objects.get_or_create(
            user=self.people[who], project=self.projects[project], defaults={"role": "employee"}
        )

    def leave(self, who: int, project: int) -> None:
        Membership.objects.filter(user=self.people[who], project=self.projects[project]).delete()


@pytest.fixture
def world(alice: User, bob: User, stranger: User, operator: User, project: Project) -> World:
    other = Project.objects.create(slug="other", name="Other")
    agents = [Agent.objects.create(slug=slug, name=slug) for slug in ("one", "two")]
    return World([alice, bob, stranger], operator, [project, other], agents)


def may_know(row: Memory, user: User, agent: Agent | None, project: Project | None) -> bool:
    """Said once more, by hand."""
    if row.status != "active" or row.agent_id not in (None, agent.pk if agent else None):
        return False
    if row.visibility == "private":
        return row.owner_id == user.pk
    is_in = Membership.objects.filter(user=user, project=row.project_id).exists()
    return project is not None and row.project_id == project.pk and is_in


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=STEPS)
def test_nobody_is_told_what_they_may_not_know(world: World, steps: list[tuple[Any, ...]]) -> None:
    world.ids.clear()
    Memory.objects.all().delete()
    for step in steps:
        world.run(step)
    rows = list(Memory.objects.all())
    for user in world.people:
        for agent in (None, *world.agents):
            for project in (None, *world.projects):
                expected = {row.pk for row in rows if may_know(row, user, agent, project)}
                for question in (WORD, ""):
                    found = recall(
                        user,
                        agent.pk if agent else None,
                        question,
                        project_id=project.pk if project else None,
                        limit=50,
                    )
                    assert {one.id for one in found} == expected
        own = {row.pk for row in rows if row.owner_id == user.pk and row.status == "active"}
        assert {one.pk for one in search_memories(user, WORD)} == own
    indexed = SearchEntry.objects.filter(scope__kind=KIND).values_list(
        "item_id", "scope__holder_id"
    )
    assert set(indexed) == {(row.pk, row.holder_id) for row in rows if row.status == "active"}
    assert all((row.text == "") == (row.status == "forgotten") for row in rows)
