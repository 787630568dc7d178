"""Changing documents: whose they are, which revision was meant, what is left behind."""

import uuid

import pytest
from django.db import transaction

from config.base.errors import InvalidInput, NotFound
from config.base.models import User
from documents import services
from documents.enums import Change
from documents.models import Document, DocumentVersion
from documents.services import Limits, StaleRevision
from tests.documents.factories import agent_of, events_of, make_document, person

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def versions_of(document: Document) -> list[DocumentVersion]:
    return list(DocumentVersion.objects.filter(document_id=document.pk).order_by("revision"))


def test_creating_leaves_a_row_a_version_and_an_event(alice: User) -> None:
    document = make_document(alice, " Weekly\n notes ", "# Hi\n\nall", tags="a, b,a")
    document.refresh_from_db()
    assert (document.title, document.content, document.summary) == (
        "Weekly notes",
        "# Hi\n\nall",
        "Hi all",
    )
    assert (document.tags, document.revision, document.provenance) == (["a", "b"], 1, ["own"])
    [version] = versions_of(document)
    assert (version.change, version.content, version.user) == (Change.CREATED, "# Hi\n\nall", alice)
    assert events_of(document) == ["document.created"]


def test_only_a_memory_belongs_to_a_conversation(alice: User) -> None:
    actor = agent_of(alice)
    memory = services.create_document(actor, title="m", content="c", type="memory")
    document = services.create_document(actor, title="d", content="c", type="document")
    assert (memory.conversation_id, document.conversation_id) == (actor.conversation_id, None)


def test_a_version_says_who_and_in_which_run(alice: User) -> None:
    actor = agent_of(alice)
    document = services.create_document(
        actor, title="d", content="c", provenance={"untrusted", "private"}
    )
    [version] = versions_of(document)
    assert (version.origin, version.agent_id, version.run_id) == (
        "chat",
        actor.agent_id,
        actor.run_id,
    )
    assert version.provenance == document.provenance == ["private", "untrusted"]


def test_updating_changes_what_is_given(alice: User) -> None:
    document = make_document(alice, content="old text", tags=["a"])
    changed = services.update_document(person(alice), document.pk, title="New", tags="b")
    changed.refresh_from_db()
    assert (changed.title, changed.tags, changed.content) == ("New", ["b"], "old text")
    assert changed.revision == 2
    assert changed.updated_at > document.updated_at
    assert versions_of(document)[-1].changed_fields == ["title", "tags"]
    assert events_of(document) == ["document.created", "document.updated"]


def test_a_new_content_makes_the_summary_anew(alice: User) -> None:
    document = make_document(alice, content="old", summary="Written by hand")
    kept = services.update_document(person(alice), document.pk, title="Other")
    assert kept.summary == "Written by hand"
    changed = services.update_document(person(alice), document.pk, content="new text")
    assert changed.summary == "new text"
    given = services.update_document(person(alice), document.pk, content="x", summary="Given")
    assert given.summary == "Given"
    emptied = services.update_document(person(alice), document.pk, summary="")
    assert emptied.summary == "x"


def test_what_is_so_already_is_no_change(alice: User) -> None:
    document = make_document(alice, tags=["a"])
    same = services.update_document(person(alice), document.pk, content="Text", tags="a")
    assert (same.revision, len(versions_of(document))) == (1, 1)
    assert events_of(document) == ["document.created"]


def test_provenance_stays_with_a_text(alice: User) -> None:
    document = make_document(alice, provenance=["untrusted"])
    changed = services.update_document(person(alice), document.pk, content="typed")
    assert changed.provenance == ["own", "untrusted"]


def test_a_stale_revision_is_told_the_current_one(alice: User) -> None:
    document = make_document(alice)
    services.update_document(person(alice), document.pk, content="newer", expected_revision=1)
    with pytest.raises(StaleRevision) as caught:
        services.update_document(person(alice), document.pk, content="x", expected_revision=1)
    assert (caught.value.code, caught.value.details) == ("stale_revision", {"revision": 2})
    with pytest.raises(StaleRevision):
        services.delete_document(person(alice), document.pk, expected_revision=1)
    assert Document.objects.get(pk=document.pk).content == "newer"


def test_deleting_keeps_the_last_text_in_a_version(alice: User) -> None:
    document = make_document(alice, content="the text", tags=["a"])
    assert services.delete_document(person(alice), document.pk, expected_revision=1) == 2
    assert not Document.objects.filter(pk=document.pk).exists()
    last = versions_of(document)[-1]
    assert (last.revision, last.change, last.content, last.tags) == (
        2,
        Change.DELETED,
        "the text",
        ["a"],
    )
    assert events_of(document) == ["document.created", "document.deleted"]


@pytest.mark.parametrize("which", ["missing", "somebody else's"])
def test_missing_and_not_yours_are_the_same(which: str, alice: User, bob: User) -> None:
    document = make_document(bob)
    key = document.pk if which == "somebody else's" else uuid.uuid4()
    messages = set()
    for change in (
        lambda: services.update_document(person(alice), key, title="x"),
        lambda: services.delete_document(person(alice), key),
    ):
        with pytest.raises(NotFound) as caught:
            change()
        messages.add((caught.value.code, caught.value.message))
    assert messages == {("not_found", "The document does not exist, or it is not yours.")}
    assert Document.objects.get(pk=document.pk).title == "Notes"


def test_limits_are_those_of_the_caller(alice: User) -> None:
    limits = Limits(content_length=10, summary_length=4)
    document = services.create_document(
        person(alice), title="t", content="abc defghi", limits=limits
    )
    assert document.summary == "abc"
    with pytest.raises(InvalidInput) as caught:
        services.create_document(person(alice), title="t", content="x" * 11, limits=limits)
    assert caught.value.code == "too_long"


def test_a_text_beyond_the_limit_may_shrink_but_not_grow(alice: User) -> None:
    document = make_document(alice, content="x" * 20, limits=Limits(content_length=20))
    limits = Limits(content_length=10)
    services.update_document(person(alice), document.pk, content="y" * 20, limits=limits)
    with pytest.raises(InvalidInput):
        services.update_document(person(alice), document.pk, content="y" * 21, limits=limits)


def test_a_failed_change_leaves_nothing(alice: User) -> None:
    document = make_document(alice)
    with pytest.raises(InvalidInput):
        services.update_document(person(alice), document.pk, title="Good", content=" ")
    with transaction.atomic():
        services.update_document(person(alice), document.pk, title="Good")
        transaction.set_rollback(True)
    assert Document.objects.get(pk=document.pk).title == "Notes"
    assert (len(versions_of(document)), events_of(document)) == (1, ["document.created"])


def test_it_knows_its_fields(alice: User) -> None:
    document = make_document(alice)
    with pytest.raises(InvalidInput):
        services.update_document(person(alice), document.pk, owner=alice)
