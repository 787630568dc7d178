"""Whatever is shared, revoked, over, deleted, restored, and whoever comes and goes, in whatever
order: what a person can read by any door is what is theirs and what is shared with them then."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from config.base.errors import InvalidInput, NotFound
from config.base.models import Membership, Project, Role, User
from documents import services
from documents.models import Document
from documents.selectors import find_document, list_documents
from documents.shares import find_link, get_readable_document, list_shared_documents
from tests.documents.factories import make_document, person
from tests.factories import ProjectFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both]

PEOPLE, PROJECTS, DOCUMENTS = 4, 2, 5
MINUTE = timedelta(minutes=1)

who = st.integers(0, PEOPLE - 1)
project_no = st.integers(0, PROJECTS - 1)
document_no = st.integers(0, DOCUMENTS - 1)
minutes = st.one_of(st.none(), st.integers(1, 20))
some = st.integers(0, 9)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("with_user"), document_no, who, minutes),
        st.tuples(st.just("with_user"), document_no, who, minutes),
        st.tuples(st.just("with_project"), document_no, project_no, minutes),
        st.tuples(st.just("with_project"), document_no, project_no, minutes),
        st.tuples(st.just("link"), document_no, st.integers(1, 20)),
        st.tuples(st.just("revoke"), some),
        st.tuples(st.just("wait"), st.integers(1, 10)),
        st.tuples(st.just("join"), who, project_no),
        st.tuples(st.just("join"), who, project_no),
        st.tuples(st.just("leave"), who, project_no),
        st.tuples(st.just("delete"), document_no),
        st.tuples(st.just("restore"), document_no),
        st.tuples(st.just("shut_out"), who, st.booleans()),
        st.tuples(st.just("meddle"), who, document_no, some),
    ),
    min_size=8,
    max_size=20,
)
EVERYTHING: tuple[tuple[Any, ...], ...] = (
    *(("join", person, 0) for person in range(PEOPLE)),
    ("with_project", 0, 0, 5),
    ("with_user", 1, 2, None),
    ("with_user", 2, 0, 3),
    ("link", 0, 10),
    ("link", 1, 2),
    ("leave", 3, 0),
    ("wait", 3),
    ("delete", 1),
    ("restore", 1),
    ("revoke", 0),
)


@dataclass
class Given:
    """A share as the model has it."""

    document: int
    until: datetime | None
    user: int | None = None
    project: int | None = None
    token: str = ""
    key: UUID | None = None
    is_over: bool = False  # revoked, or gone with its document


@dataclass
class World:
    people: list[User]
    projects: list[Project]
    documents: list[Document]
    now: datetime
    members: set[tuple[int, int]] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)
    shut_out: set[int] = field(default_factory=set)
    given: list[Given] = field(default_factory=list)

    def owner(self, document: int) -> int:
        return document % PEOPLE

    def in_force(self, one: Given) -> bool:
        in_time = one.until is None or one.until > self.now
        return in_time and not one.is_over and self.owner(one.document) not in self.shut_out

    def shared_with(self, person: int) -> set[int]:
        return {
            one.document
            for one in self.given
            if self.in_force(one)
            and (one.user == person or (person, one.project) in self.members)
            and self.owner(one.document) != person
        }

    def own(self, person: int) -> set[int]:
        return {n for n in range(DOCUMENTS) if self.owner(n) == person} - self.gone

    def keys(self, numbers: set[int]) -> set[UUID]:
        return {self.documents[number].pk for number in numbers}

    # --- Steps ---

    def share(self, document: int, minutes: int | None, **reader: int) -> None:
        until = self.now + minutes * MINUTE if minutes else None
        act = services.share_with_user if "user" in reader else services.share_with_project
        number = reader.get("user", reader.get("project", 0))
        name = self.people[number].username if "user" in reader else self.projects[number].slug
        owner = self.owner(document)
        may = document not in self.gone and (
            (owner != number and number not in self.shut_out)
            if "user" in reader
            else (owner, number) in self.members
        )
        actor, key = person(self.people[owner]), self.documents[document].pk
        if not may:
            with pytest.raises((InvalidInput, NotFound)), transaction.atomic():
                act(actor, key, name, expires_at=until)
            return
        share = act(actor, key, name, expires_at=until).share
        for one in self.given:
            if one.key == share.pk:
                one.until = until
                return
        user, project = reader.get("user"), reader.get("project")
        self.given.append(Given(document, until, user, project, key=share.pk))

    def with_user(self, document: int, reader: int, minutes: int | None) -> None:
        self.share(document, minutes, user=reader)

    def with_project(self, document: int, project: int, minutes: int | None) -> None:
        self.share(document, minutes, project=project)

    def link(self, document: int, minutes: int) -> None:
        if document in self.gone:
            return
        until = self.now + minutes * MINUTE
        actor = person(self.people[self.owner(document)])
        made = services.make_link(actor, self.documents[document].pk, expires_at=until)
        self.given.append(Given(document, until, token=made.token, key=made.share.pk))

    def revoke(self, number: int) -> None:
        present = [one for one in self.given if one.document not in self.gone and one.key]
        kept = [one for one in present if not one.is_over]
        if not kept:
            return
        one = kept[number % len(kept)]
        actor = person(self.people[self.owner(one.document)])
        services.revoke_share(actor, self.documents[one.document].pk, one.key or "")
        one.is_over = True

    def wait(self, minutes: int) -> None:
        self.now += minutes * MINUTE

    def join(self, person_no: int, project: int) -> None:
        Membership.objects.get_or_create(
            user=self.people[person_no],
            project=self.projects[project],
            defaults={"role": Role.EMPLOYEE},
        )
        self.members.add((person_no, project))

    def leave(self, person_no: int, project: int) -> None:
        Membership.objects.filter(
            user=self.people[person_no], project=self.projects[project]
        ).delete()
        self.members.discard((person_no, project))

    def delete(self, document: int) -> None:
        if document in self.gone:
            return
        owner = self.people[self.owner(document)]
        services.delete_document(person(owner), self.documents[document].pk)
        self.gone.add(document)
        for one in self.given:
            one.is_over |= one.document == document

    def restore(self, document: int) -> None:
        if document not in self.gone:
            return
        owner = self.people[self.owner(document)]
        services.restore_document(person(owner), self.documents[document].pk)
        self.gone.discard(document)

    def shut_out_or_let_in(self, person_no: int, out: bool) -> None:
        User.objects.filter(pk=self.people[person_no].pk).update(is_active=not out)
        (self.shut_out.add if out else self.shut_out.discard)(person_no)

    def meddle(self, person_no: int, document: int, number: int) -> None:
        """With what is somebody else's: nothing comes of it."""
        if self.owner(document) == person_no:
            return
        actor, key = person(self.people[person_no]), self.documents[document].pk
        share = self.given[number % len(self.given)].key if self.given else None
        for act in (
            lambda: services.make_link(actor, key),
            lambda: services.share_with_user(actor, key, actor.user.username),
            lambda: services.revoke_share(actor, key, share or key),
            lambda: services.update_document(actor, key, title="Mine"),
        ):
            with pytest.raises(NotFound), transaction.atomic():
                act()


def play(world: World, step: tuple[Any, ...], patched: pytest.MonkeyPatch) -> None:
    name, *arguments = step
    acts = {"shut_out": world.shut_out_or_let_in}
    (acts.get(name) or getattr(world, name))(*arguments)
    now = world.now
    patched.setattr("django.utils.timezone.now", lambda: now)


def check_lists(world: World) -> None:
    for number, reader in enumerate(world.people):
        listed = list(list_shared_documents(reader, world.now))
        assert {one.pk for one in listed} == world.keys(world.shared_with(number))
        assert [one.pk for one in listed if not vars(one)["shares_to_me"]] == []


def check_one_by_one(world: World) -> None:
    for number, reader in enumerate(world.people):
        own, shared = world.own(number), world.shared_with(number)
        assert set(list_documents(reader).values_list("pk", flat=True)) == world.keys(own)
        for document in range(DOCUMENTS):
            key = world.documents[document].pk
            assert (find_document(reader, key) is not None) == (document in own)
            assert can_read(reader, key, world.now) == (document in own | shared)
    for one in world.given:
        if one.token:
            found = find_link(one.token, world.now)
            assert (found is not None) == world.in_force(one)
            assert found is None or found.document_id == world.documents[one.document].pk


def can_read(reader: User, key: UUID, now: datetime) -> bool:
    try:
        return get_readable_document(reader, key, now).pk == key
    except NotFound:
        return False


def check_doors(world: World) -> None:
    """The same over HTTP: pages, API and links."""
    for number, reader in enumerate(world.people):
        if number in world.shut_out:
            continue
        client = Client()
        client.force_login(reader)
        own, shared = world.own(number), world.shared_with(number)
        api = "/api/agent-documents/"
        for address, wanted in ((api, own), (f"{api}shared/", shared)):
            listed = client.get(f"{address}?page_size=100").json()["results"]
            assert {UUID(one["id"]) for one in listed} == world.keys(wanted)
        page = client.get("/documents/shared/").content.decode()
        for document in range(DOCUMENTS):
            key = world.documents[document].pk
            doors = {
                f"{api}{key}/": own,
                f"{api}shared/{key}/": shared,
                f"{api}{key}/versions/": own,
                f"{api}{key}/shares/": own,
                f"/documents/{key}/": own | shared,
                f"/documents/{key}/versions/": own,
                f"/documents/{key}/share/": own,
            }
            for door, wanted in doors.items():
                status = client.get(door).status_code
                assert status == (200 if document in wanted else 404), door
            assert (str(key) in page) == (document in shared)
    for one in world.given:
        if one.token:
            status = Client().get(f"/s/{one.token}/").status_code
            assert status == (200 if world.in_force(one) else 404)


def new_world() -> World:
    people = [UserFactory.create() for _ in range(PEOPLE)]
    documents = [make_document(people[n % PEOPLE], f"Number {n}") for n in range(DOCUMENTS)]
    projects = [ProjectFactory.create() for _ in range(PROJECTS)]
    return World(people, projects, documents, timezone.now())


def run(steps: Any, *, over_http: bool) -> None:
    with pytest.MonkeyPatch.context() as patched, transaction.atomic():
        world = new_world()
        for step in steps:
            play(world, step, patched)
            check_lists(world)
        check_one_by_one(world)
        if over_http:
            check_doors(world)
        transaction.set_rollback(True)


@settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
@example(steps=EVERYTHING)
def test_one_reads_what_is_ones_own_and_what_is_shared_then(steps: Any) -> None:
    run(steps, over_http=False)


@settings(
    max_examples=1,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=steps)
@example(steps=EVERYTHING)
def test_by_every_door(steps: Any) -> None:
    run(steps, over_http=True)
