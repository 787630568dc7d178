"""The trash: what was deleted comes back as it was, once, within thirty days, to its owner."""

import time
import uuid
from datetime import timedelta
from threading import Event

import pytest
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from config.base.errors import NotFound
from config.base.models import User
from documents import services, versions
from documents.enums import Change
from documents.models import Document, DocumentVersion
from documents.selectors import document_missing, find_document, list_trash, search_documents
from tests.documents.factories import agent_of, events_of, make_deleted, make_document, person
from tests.documents.test_tool import run
from tests.documents.test_versions import revisions_of
from tests.plans import analyze, assert_uses_index
from tests.threads import PATIENCE_SECONDS, both_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both]
DAY = timedelta(days=1)


def trash_of(user: User) -> list[str]:
    return [deletion.title for deletion in list_trash(user, timezone.now())]


def let_pass(time: timedelta) -> None:
    """As if all that has happened had happened so much earlier."""
    Document.objects.update(created_at=F("created_at") - time, updated_at=F("updated_at") - time)
    DocumentVersion.objects.update(
        created_at=F("created_at") - time, document_created_at=F("document_created_at") - time
    )


def facts_of(document: Document) -> dict[str, object]:
    changing = {"_state", "revision", "updated_at"}
    return {name: value for name, value in vars(document).items() if name not in changing}


# --- Restoring ---


def test_what_is_restored_is_what_it_was(alice: User) -> None:
    memory = services.create_document(
        agent_of(alice),
        title="Notes",
        content="# Text\n\nof an agent",
        type="memory",
        summary="By hand",
        tags=["A", "b"],
        provenance=["untrusted"],
    )
    services.update_document(person(alice), memory.pk, title="Last title")
    before = Document.objects.get()
    services.delete_document(person(alice), memory.pk)
    restored = services.restore_document(person(alice), memory.pk)
    after = Document.objects.get()
    assert facts_of(after) == facts_of(restored) == facts_of(before)
    assert after.revision == restored.revision == 4
    assert after.updated_at > before.updated_at
    assert [found.pk for found in search_documents(alice, "a", tag="a")] == [memory.pk]


def test_restoring_leaves_a_version_and_an_event(alice: User) -> None:
    document = make_deleted(alice, content="the text")
    services.restore_document(person(alice), document.pk)
    last = DocumentVersion.objects.get(document_id=document.pk, revision=3)
    assert (last.change, last.content, last.user) == (Change.RESTORED, "the text", alice)
    assert events_of(document) == ["document.created", "document.deleted", "document.restored"]
    services.update_document(person(alice), document.pk, content="goes on", expected_revision=3)
    assert revisions_of(document) == [1, 2, 3, 4]


def test_a_document_is_as_old_as_it_was_although_its_first_versions_are_forgotten(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "KEPT_VERSIONS", 2)
    document = make_document(alice)
    let_pass(400 * DAY)
    created_at = Document.objects.get().created_at
    for number in range(3):
        services.update_document(person(alice), document.pk, content=f"text {number}")
    services.delete_document(person(alice), document.pk)
    assert services.restore_document(person(alice), document.pk).created_at == created_at


def test_whoever_asks_twice_restores_once(alice: User) -> None:
    document = make_deleted(alice)
    first = services.restore_document(person(alice), document.pk)
    services.update_document(person(alice), document.pk, content="newer")
    again = services.restore_document(person(alice), str(document.pk))
    assert (first.revision, again.revision, again.content) == (3, 4, "newer")
    assert events_of(document).count("document.restored") == 1


@pytest.mark.django_db(transaction=True)
def test_two_at_once_restore_once(alice: User) -> None:
    document = make_deleted(alice)

    def restore() -> int:
        return services.restore_document(person(alice), document.pk).revision

    assert both_at_once(restore, restore, restore) == [3, 3, 3]
    assert revisions_of(document) == [1, 2, 3]
    assert events_of(document).count("document.restored") == 1


def test_it_can_be_deleted_and_restored_again(alice: User) -> None:
    document = make_deleted(alice, content="one")
    services.restore_document(person(alice), document.pk)
    services.update_document(person(alice), document.pk, content="two")
    services.delete_document(person(alice), document.pk)
    assert trash_of(alice) == ["Notes"]
    restored = services.restore_document(person(alice), document.pk)
    assert (restored.content, restored.revision) == ("two", 6)
    assert trash_of(alice) == []


def test_what_an_agent_deleted_comes_back_too(alice: User) -> None:
    document = make_document(alice)
    agent = agent_of(alice)
    run(agent, action="delete", id=str(document.pk))
    [deletion] = list_trash(alice, timezone.now())
    assert (deletion.agent_id, deletion.user, deletion.origin) == (agent.agent_id, alice, "chat")
    services.restore_document(person(alice), document.pk)
    assert run(agent, action="read", id=str(document.pk)).data["revision"] == 3


# --- What cannot be restored ---


def test_what_is_missing_expired_or_not_yours_is_one_refusal(alice: User, bob: User) -> None:
    of_bob, expired = make_deleted(bob), make_deleted(alice)
    DocumentVersion.objects.filter(document_id=expired.pk, change=Change.DELETED).update(
        created_at=timezone.now() - 30 * DAY
    )
    present_of_bob = make_document(bob)
    for key in (of_bob.pk, expired.pk, present_of_bob.pk, uuid.uuid4(), "nonsense"):
        with pytest.raises(NotFound) as caught:
            services.restore_document(person(alice), key)
        missing = document_missing()
        assert (caught.value.code, caught.value.message) == (missing.code, missing.message)
    assert find_document(bob, of_bob.pk) is None
    assert trash_of(bob) == ["Notes"]
    assert "document.restored" not in events_of(of_bob) + events_of(expired)


@pytest.mark.parametrize(("age", "there"), [(29 * DAY, True), (30 * DAY, False), (99 * DAY, False)])
def test_the_thirty_days_begin_with_the_deletion(alice: User, age: timedelta, there: bool) -> None:
    make_document(alice, "Old")
    let_pass(400 * DAY)
    services.delete_document(person(alice), Document.objects.get().pk)
    let_pass(age)
    assert trash_of(alice) == (["Old"] if there else [])


def test_the_purge_takes_what_nobody_can_restore_and_nothing_else(alice: User) -> None:
    restored, again, gone = (make_deleted(alice, title) for title in ("restored", "again", "gone"))
    for document in (restored, again):
        services.restore_document(person(alice), document.pk)
    let_pass(31 * DAY)
    services.delete_document(person(alice), again.pk)
    assert versions.purge_trash(timezone.now()) == 2
    assert (revisions_of(restored), revisions_of(again)) == ([1, 2, 3], [1, 2, 3, 4])
    assert revisions_of(gone) == []
    assert trash_of(alice) == ["again"]


@pytest.mark.django_db(transaction=True)
def test_the_purge_leaves_what_is_restored_meanwhile(alice: User) -> None:
    document = make_deleted(alice, "Nearly gone")
    is_restored = Event()

    def restore_slowly() -> None:
        with transaction.atomic():
            services.restore_document(person(alice), document.pk)
            is_restored.set()
            time.sleep(0.5)  # the purge looks meanwhile

    def purge() -> None:
        assert is_restored.wait(PATIENCE_SECONDS)
        assert versions.purge_trash(timezone.now() + 31 * DAY) == 0

    both_at_once(restore_slowly, purge)
    assert revisions_of(document) == [1, 2, 3]
    assert Document.objects.filter(pk=document.pk).exists()


# --- The list ---


def test_the_trash_shows_what_is_yours_deleted_last_first(alice: User, bob: User) -> None:
    make_document(alice, "Present")
    first, second = make_document(alice, "First"), make_document(alice, "Second")
    make_deleted(bob, "Of Bob")
    for document in (second, first):
        services.delete_document(person(alice), document.pk)
    assert trash_of(alice) == ["First", "Second"]


def test_the_list_brings_no_contents_in_one_query(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _number in range(3):
        make_deleted(alice, content="字" * 30)
    with django_assert_num_queries(1):
        deletions = list(list_trash(alice, timezone.now()))
        assert {deletion.user for deletion in deletions} == {alice}
        lengths = [deletion.content_length for deletion in deletions]  # type: ignore[attr-defined]  # annotated
    assert lengths == [30] * 3
    assert "content" in deletions[0].get_deferred_fields()


def test_the_list_is_read_from_indexes(alice: User, bob: User) -> None:
    """Among many versions, most of them somebody else's and most of them no deletions."""
    now = timezone.now()
    DocumentVersion.objects.bulk_create(
        DocumentVersion(
            document_id=uuid.uuid4(),
            document_created_at=now,
            owner=alice if n % 50 == 0 else bob,
            change=Change.DELETED if n % 5 == 0 else Change.UPDATED,
            content="text",
        )
        for n in range(3_000)
    )
    analyze(DocumentVersion, User)
    deletions = list_trash(alice, now).select_related(None)  # people are few: read as is best
    assert_uses_index(deletions[:20], "version_trash")
