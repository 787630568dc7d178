"""People, what they have and give away, and beside it the plain truth of who may read what then."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from agents.memories import services as memory_services
from agents.memories.company import accept_memory, decline_memory
from agents.models import Agent, AgentTool, Conversation, Memory, Run
from config.base.actor import Actor, Origin
from config.base.models import Membership, Project, Role, User
from documents import services as document_services
from documents.enums import SpaceRole
from documents.knowledge import services as knowledge_services
from documents.models import Document, KnowledgeSpace, Resource, SpaceMember
from tests.documents.factories import make_document, person
from tests.documents.knowledge.rows import make_row
from tests.factories import ProjectFactory, UserFactory
from tests.skills.factories import make_grant
from tools.models import Tool

WORD = "quince"
PEOPLE, PROJECTS, AGENTS, SPACES = range(3), range(2), range(2), range(3)
TOOLS = ("document", "memory_search", "knowledge_search", "knowledge_resource")
_MINUTE = timedelta(minutes=1)


@dataclass
class Owned:
    """A document, and to whom it was given until when."""

    row: Document
    owner: int
    is_gone: bool = False


@dataclass
class Given:
    document: Owned
    until: datetime | None
    key: UUID
    user: int | None = None
    project: int | None = None
    token: str = ""
    is_over: bool = False


@dataclass
class Told:
    """A memory."""

    row: Memory
    owner: int
    agent: int | None
    project: int | None
    status: str


@dataclass
class World:
    people: list[User]
    keeper: User  # manages the spaces, and decides on memories; asks nothing
    projects: list[Project]
    agents: list[Agent]
    spaces: list[KnowledgeSpace]
    now: datetime
    patched: pytest.MonkeyPatch
    roles: dict[tuple[int, int], str] = field(default_factory=dict)  # (person, project)
    members: set[tuple[int, int]] = field(default_factory=set)  # (person, space)
    newcomers: bool = False  # whether the last project's space is open to them
    shut_out: set[int] = field(default_factory=set)
    documents: list[Owned] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    memories: list[Told] = field(default_factory=list)
    files: list[tuple[Resource, int]] = field(default_factory=list)
    runs: list[tuple[int, Run]] = field(default_factory=list)
    conversations: dict[tuple[int, int, int | None], Conversation] = field(default_factory=dict)

    # --- Who may read what ---

    def own_documents(self, who: int) -> set[UUID]:
        return {one.row.pk for one in self.documents if one.owner == who and not one.is_gone}

    def shared_documents(self, who: int) -> set[UUID]:
        return {
            one.document.row.pk
            for one in self.given
            if self.in_force(one)
            and one.document.owner != who
            and (one.user == who or (who, one.project) in self.roles)
        }

    def in_force(self, one: Given) -> bool:
        in_time = one.until is None or one.until > self.now
        gone = one.is_over or one.document.is_gone or one.document.owner in self.shut_out
        return in_time and not gone

    def told(self, who: int, agent: int | None, project: int | None) -> set[UUID]:
        """What this agent may tell them in a conversation of this project."""
        return {
            one.row.pk
            for one in self.memories
            if one.status == "active"
            and one.agent in (None, agent)
            and self._may_know(one, who, project)
        }

    def _may_know(self, one: Told, who: int, project: int | None) -> bool:
        if one.project is None:
            return one.owner == who
        return one.project == project and (who, project) in self.roles

    def own_memories(self, who: int) -> set[UUID]:
        return {one.row.pk for one in self.memories if one.owner == who and one.status == "active"}

    def readable_files(self, who: int) -> set[UUID]:
        return {file.pk for file, space in self.files if self.reads_space(who, space)}

    def reads_space(self, who: int, space: int) -> bool:
        if (who, space) in self.members:
            return True
        role = self.roles.get((who, space - 1)) if space else None  # the first is of no project
        return bool(role) and (role != Role.CANDIDATE or (self.newcomers and space == SPACES[-1]))

    # --- Steps: people ---

    def actor(self, who: int) -> Actor:
        return person(self.people[who])

    def join(self, who: int, project: int, role: str) -> None:
        Membership.objects.update_or_create(
            user=self.people[who], project=self.projects[project], defaults={"role": role}
        )
        self.roles[who, project] = role

    def leave(self, who: int, project: int) -> None:
        Membership.objects.filter(user=self.people[who], project=self.projects[project]).delete()
        self.roles.pop((who, project), None)

    def shut(self, who: int, is_out: bool) -> None:
        User.objects.filter(pk=self.people[who].pk).update(is_active=not is_out)
        (self.shut_out.add if is_out else self.shut_out.discard)(who)

    def wait(self, minutes: int) -> None:
        self.now += minutes * _MINUTE
        now = self.now
        self.patched.setattr("django.utils.timezone.now", lambda: now)

    # --- Steps: documents ---

    def write(self, who: int) -> None:
        row = make_document(self.people[who], f"{WORD} {len(self.documents)}", f"A {WORD}.")
        self.documents.append(Owned(row, who))

    def lend(self, number: int, who: int, minutes: int | None) -> None:
        if (one := self._document(number)) and who not in {one.owner, *self.shut_out}:
            act, name = document_services.share_with_user, self.people[who].username
            self._give(act, one, name, minutes, user=who)

    def open_to(self, number: int, project: int, minutes: int | None) -> None:
        if (one := self._document(number)) and (one.owner, project) in self.roles:
            act, name = document_services.share_with_project, self.projects[project].slug
            self._give(act, one, name, minutes, project=project)

    def _give(self, act: Any, one: Owned, name: str, minutes: int | None, **reader: int) -> None:
        until = self.now + minutes * _MINUTE if minutes else None
        key = act(self.actor(one.owner), one.row.pk, name, expires_at=until).share.pk
        known = next((given for given in self.given if given.key == key), None)
        if known:
            known.until = until
        else:
            self.given.append(Given(one, until, key, reader.get("user"), reader.get("project")))

    def link(self, number: int, minutes: int) -> None:
        if one := self._document(number):
            until = self.now + minutes * _MINUTE
            made = document_services.make_link(self.actor(one.owner), one.row.pk, expires_at=until)
            self.given.append(Given(one, until, made.share.pk, token=made.token))

    def revoke(self, number: int) -> None:
        kept = [one for one in self.given if not one.is_over and not one.document.is_gone]
        if kept:
            one = kept[number % len(kept)]
            owner = self.actor(one.document.owner)
            document_services.revoke_share(owner, one.document.row.pk, one.key)
            one.is_over = True

    def delete(self, number: int) -> None:
        if one := self._document(number):
            document_services.delete_document(self.actor(one.owner), one.row.pk)
            one.is_gone = True
            for given in self.given:
                given.is_over |= given.document is one

    def restore(self, number: int) -> None:
        if one := self._document(number, gone=True):
            document_services.restore_document(self.actor(one.owner), one.row.pk)
            one.is_gone = False

    def _document(self, number: int, *, gone: bool = False) -> Owned | None:
        found = [one for one in self.documents if one.is_gone == gone]
        return found[number % len(found)] if found else None

    # --- Steps: memories ---

    def remember(self, who: int, agent: int | None, project: int | None) -> None:
        if project is not None and (who, project) not in self.roles:
            return
        row = memory_services.create_memory(
            self.actor(who),
            f"{WORD} {len(self.memories)}",
            agent_id=None if agent is None else self.agents[agent].pk,
            project_id=None if project is None else self.projects[project].pk,
        )
        status = "active" if project is None else "pending"
        self.memories.append(Told(row, who, agent, project, status))

    def judge(self, number: int, accepts: bool) -> None:
        if one := self._memory(number, "pending"):
            operator = Actor(user=self.keeper, origin=Origin.ADMIN)
            (accept_memory if accepts else decline_memory)(operator, one.row.pk)
            one.status = "active" if accepts else "archived"

    def archive(self, number: int) -> None:
        if one := self._memory(number, "active", "pending"):
            memory_services.archive_memory(self.actor(one.owner), one.row.pk)
            one.status = "archived"

    def take_back(self, number: int) -> None:
        if one := self._memory(number, "archived"):
            memory_services.restore_memory(self.actor(one.owner), one.row.pk)
            one.status = "active" if one.project is None else "pending"

    def forget(self, number: int) -> None:
        if one := self._memory(number, "active", "pending", "archived"):
            memory_services.forget_memory(self.actor(one.owner), one.row.pk)
            one.status = "forgotten"

    def show(self, number: int, project: int | None) -> None:
        one = self._memory(number, "active", "pending")
        if one is None or one.project == project:
            return
        if project is None:
            memory_services.show_memory_to(self.actor(one.owner), one.row.pk, None)
            one.project, one.status = None, "active"
        elif (one.owner, project) in self.roles:
            key = self.projects[project].pk
            memory_services.show_memory_to(self.actor(one.owner), one.row.pk, key)
            one.project, one.status = project, "pending"

    def _memory(self, number: int, *statuses: str) -> Told | None:
        found = [one for one in self.memories if one.status in statuses]
        return found[number % len(found)] if found else None

    # --- Steps: knowledge ---

    def let_in(self, who: int, space: int) -> None:
        SpaceMember.objects.get_or_create(user=self.people[who], space=self.spaces[space])
        self.members.add((who, space))

    def send_away(self, who: int, space: int) -> None:
        member = SpaceMember.objects.filter(user=self.people[who], space=self.spaces[space])
        if found := member.first():
            keeper = person(self.keeper)
            knowledge_services.remove_member(keeper, self.spaces[space].pk, found.pk)
        self.members.discard((who, space))

    def open_to_newcomers(self, is_open: bool) -> None:
        space = self.spaces[SPACES[-1]]
        knowledge_services.change_space(person(self.keeper), space.pk, is_for_newcomers=is_open)
        self.newcomers = is_open

    def upload(self, space: int) -> None:
        title = f"{WORD.title()} {len(self.files)} {self.now:%f}"
        self.files.append((make_row(self.keeper, title, space=self.spaces[space]), space))

    def drop(self, number: int) -> None:
        if self.files:
            file, _space = self.files.pop(number % len(self.files))
            knowledge_services.delete_resource(person(self.keeper), file.pk)

    # --- What the doors are asked with ---

    def conversation(self, who: int, agent: int, project: int | None) -> Conversation:
        key = who, agent, project
        if key not in self.conversations:
            self.conversations[key] = Conversation.objects.create(
                owner=self.people[who],
                agent=self.agents[agent],
                project=None if project is None else self.projects[project],
            )
        return self.conversations[key]

    def agent_of(self, who: int, agent: int, project: int | None) -> Actor:
        return Actor(
            user=self.people[who],
            origin=Origin.CHAT,
            agent_id=self.agents[agent].pk,
            conversation_id=self.conversation(who, agent, project).pk,
        )


def new_world(patched: pytest.MonkeyPatch, agents: list[Agent]) -> World:
    people = [UserFactory.create() for _ in PEOPLE]
    keeper = UserFactory.create(is_staff=True, is_superuser=True)
    projects = [ProjectFactory.create() for _ in PROJECTS]
    spaces = [
        KnowledgeSpace.objects.create(name=f"S {n}", slug=f"{keeper.username}-{n}", project=owner)
        for n, owner in enumerate([None, *projects])
    ]
    for space in spaces:
        SpaceMember.objects.create(space=space, user=keeper, role=SpaceRole.MANAGER)
    for one in people:
        make_grant(one, "memory:read", skill_id="memory-recall")
    return World(people, keeper, projects, agents, spaces, timezone.now(), patched)


def agents_with_tools() -> list[Agent]:
    agents = [Agent.objects.create(slug=f"reader-{n}", name="Reader") for n in AGENTS]
    for tool in Tool.objects.filter(slug__in=TOOLS):
        for agent in agents:
            AgentTool.objects.create(agent=agent, tool=tool)
    return agents
