"""Whatever happens to memberships, projects and files: a search never gives a passage of a space
that its asker is not in at that moment, and never misses one that they may read.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.base.models import Membership, Project, Role, User
from documents.enums import SpaceRole
from documents.knowledge.searching import search_passages
from documents.knowledge.selectors import list_passages, list_resources, list_spaces
from documents.models import KnowledgeSpace, Resource, SpaceMember
from tests.documents.knowledge.rows import make_row
from tests.factories import UserFactory

pytestmark = [pytest.mark.both, pytest.mark.django_db]

PEOPLE, SPACES, PROJECTS = range(3), range(4), range(2)
ROLES = [None, *SpaceRole]
PROJECT_ROLES = [None, *Role]
STEP = st.one_of(
    st.tuples(st.just("member"), st.sampled_from(PEOPLE), st.sampled_from(SPACES),
              st.sampled_from(ROLES)),
    st.tuples(st.just("project"), st.sampled_from(PEOPLE), st.sampled_from(PROJECTS),
              st.sampled_from(PROJECT_ROLES)),
    st.tuples(st.just("newcomers"), st.just(0), st.sampled_from(SPACES[2:]), st.booleans()),
    st.tuples(st.just("delete"), st.just(0), st.sampled_from(SPACES), st.none()),
    st.tuples(st.just("upload"), st.just(0), st.sampled_from(SPACES), st.none()),
    st.tuples(st.just("ask"), st.sampled_from(PEOPLE), st.just(0), st.none()),
)  # fmt: skip


class World:
    """The product, and beside it the plain truth about it."""

    def __init__(self, run: int) -> None:
        self.people = [UserFactory.create(username=f"p{n}-{run}") for n in PEOPLE]
        self.projects = [Project.objects.create(slug=f"r{n}-{run}", name="P") for n in PROJECTS]
        owners = [None, None, *self.projects]
        self.spaces = [
            KnowledgeSpace.objects.create(name=f"S{n}", slug=f"s{n}-{run}", project=owners[n])
            for n in SPACES
        ]
        self.members: dict[tuple[int, int], str] = {}
        self.roles: dict[tuple[int, int], str] = {}
        self.newcomers = dict.fromkeys(SPACES, False)
        self.files: dict[int, list[Resource]] = {n: [] for n in SPACES}
        self.keeper = UserFactory.create(username=f"k-{run}")
        for number, space in enumerate(self.spaces):
            SpaceMember.objects.create(space=space, user=self.keeper, role=SpaceRole.MANAGER)
            self.upload(0, number, None)

    def member(self, who: int, where: int, role: Any) -> None:
        SpaceMember.objects.filter(user=self.people[who], space=self.spaces[where]).delete()
        self.members.pop((who, where), None)
        if role:
            SpaceMember.objects.create(user=self.people[who], space=self.spaces[where], role=role)
            self.members[who, where] = role

    def project(self, who: int, where: int, role: Any) -> None:
        Membership.objects.filter(user=self.people[who], project=self.projects[where]).delete()
        self.roles.pop((who, where), None)
        if role:
            Membership.objects.create(
                user=self.people[who], project=self.projects[where], role=role
            )
            self.roles[who, where] = role

    def newcomers_may(self, _who: int, where: int, may: Any) -> None:
        KnowledgeSpace.objects.filter(pk=self.spaces[where].pk).update(is_for_newcomers=may)
        self.newcomers[where] = may

    def upload(self, _who: int, where: int, _value: Any) -> None:
        title = f"Pump {where} {len(self.files[where])} {len(Resource.objects.all())}"
        self.files[where].append(make_row(self.keeper, title, space=self.spaces[where]))

    def delete(self, _who: int, where: int, _value: Any) -> None:
        if self.files[where]:
            self.files[where].pop().delete()

    def may_read(self, who: int, where: int) -> bool:
        if (who, where) in self.members:
            return True
        role = self.roles.get((who, where - 2)) if where >= 2 else None
        return bool(role) and (role != Role.CANDIDATE or self.newcomers[where])

    def ask(self, who: int, _where: int, _value: Any) -> None:
        user: User = self.people[who]
        readable = [n for n in SPACES if self.may_read(who, n)]
        files = {file.pk for n in readable for file in self.files[n]}
        assert {space.pk for space in list_spaces(user)} == {self.spaces[n].pk for n in readable}
        assert set(list_resources(user).values_list("pk", flat=True)) == files
        found = search_passages(user, "pump", limit=100)
        assert {one.resource.pk for one in found.cited} == files
        for n in SPACES:
            for file in self.files[n]:
                assert list_passages(user, file.pk).exists() == (n in readable)


STEPS = {
    "member": World.member,
    "project": World.project,
    "newcomers": World.newcomers_may,
    "delete": World.delete,
    "upload": World.upload,
    "ask": World.ask,
}
runs = iter(range(1_000_000))


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=st.lists(STEP, min_size=3, max_size=15))
def test_a_search_gives_what_may_be_read_at_that_moment_and_nothing_else(
    db: None, history: list[tuple[str, int, int, Any]]
) -> None:
    world = World(next(runs))
    for name, who, where, value in history:
        STEPS[name](world, who, where, value)
    for who in PEOPLE:
        world.ask(who, 0, None)
