"""What is in the trash can be deleted for ever, by its owner alone and never unseen."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from config.base.errors import NotFound
from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from documents.versions import KEPT_FOR, prune_old_versions
from skills.models import AuditEvent
from tests.documents.conftest import ApiFor, BrowserOf
from tests.documents.factories import events_of, make_deleted, make_document, person

pytestmark = [pytest.mark.django_db]
PAGE, API = "/documents/trash/", "/api/agent-documents/trash/"


@pytest.fixture
def visitor(browser_of: BrowserOf, alice: User) -> Client:
    return browser_of(alice)


def is_gone(document: Document) -> bool:
    return not DocumentVersion.objects.filter(document_id=document.pk).exists()


# --- Services ---


@pytest.mark.both
def test_a_purge_takes_the_document_with_all_its_versions(alice: User) -> None:
    document, kept = make_document(alice), make_deleted(alice)
    services.update_document(person(alice), document.pk, content="newer")
    services.delete_document(person(alice), document.pk)
    services.purge_document(person(alice), document.pk)
    assert is_gone(document)
    assert not is_gone(kept)
    assert events_of(document)[-1] == "document.purged"
    with pytest.raises(NotFound):
        services.purge_document(person(alice), document.pk)
    with pytest.raises(NotFound):
        services.restore_document(person(alice), document.pk)


@pytest.mark.both
def test_what_is_not_in_the_trash_or_not_yours_is_not_purged(alice: User, bob: User) -> None:
    living, deleted = make_document(alice), make_deleted(alice)
    for user, document in ((alice, living), (bob, deleted), (bob, living)):
        with pytest.raises(NotFound):
            services.purge_document(person(user), document.pk)
    assert not is_gone(living)
    assert not is_gone(deleted)


@pytest.mark.both
def test_emptying_takes_what_was_seen_and_leaves_the_rest(alice: User, bob: User) -> None:
    seen, theirs, living = make_deleted(alice), make_deleted(bob), make_document(alice)
    looked_at = timezone.now()
    unseen = make_deleted(alice)
    assert services.empty_trash(person(alice), until=looked_at) == 1
    assert [is_gone(d) for d in (seen, theirs, living, unseen)] == [True, False, False, False]
    [event] = AuditEvent.objects.filter(action="document.trash_emptied")
    assert event.metadata["documents"] == 1


def test_emptying_an_empty_trash_is_no_event(alice: User) -> None:
    assert services.empty_trash(person(alice)) == 0
    assert not AuditEvent.objects.filter(action="document.trash_emptied").exists()


@pytest.mark.both
def test_a_document_that_was_restored_is_not_purged_with_its_old_deletion(alice: User) -> None:
    document = make_deleted(alice)
    services.restore_document(person(alice), document.pk)
    assert services.empty_trash(person(alice)) == 0
    assert Document.objects.get().pk == document.pk


@pytest.mark.both
def test_housekeeping_forgets_versions_after_a_year_but_never_the_newest(alice: User) -> None:
    changed, still = make_document(alice), make_document(alice)
    services.update_document(person(alice), changed.pk, content="newer")
    year = timezone.now() + KEPT_FOR
    assert prune_old_versions(year - timedelta(minutes=5)) == 0
    assert prune_old_versions(year + timedelta(minutes=5)) == 1
    kept = DocumentVersion.objects.order_by("document_id").values_list("document_id", "revision")
    assert set(kept) == {(changed.pk, 2), (still.pk, 1)}
    assert services.purge_old_versions() == 0


# --- Pages ---


def test_the_page_asks_before_it_deletes_for_ever(visitor: Client, alice: User) -> None:
    document = make_deleted(alice, "Old plan")
    url = f"{PAGE}{document.pk}/delete/"
    assert url in visitor.get(PAGE).content.decode()
    assert "Delete “Old plan” for ever?" in visitor.get(url).content.decode()
    assert not is_gone(document)
    assert visitor.post(url).headers["Location"] == PAGE
    assert is_gone(document)
    assert visitor.get(url).status_code == 404


def test_the_page_empties_what_it_showed(visitor: Client, alice: User) -> None:
    seen = make_deleted(alice)
    asked = visitor.get(f"{PAGE}empty/")
    assert "Delete 1 document for ever?" in asked.content.decode()
    unseen = make_deleted(alice)
    response = visitor.post(f"{PAGE}empty/", {"until": asked.context["until"]})
    assert response.headers["Location"] == PAGE
    assert (is_gone(seen), is_gone(unseen)) == (True, False)


@pytest.mark.parametrize("until", ["", "yesterday", "2020-13-40", "2020-01-01", "9999-12-31T00:00"])
def test_without_a_moment_nothing_is_emptied(visitor: Client, alice: User, until: str) -> None:
    document = make_deleted(alice)
    response = visitor.post(f"{PAGE}empty/", {"until": until})
    assert response.headers["Location"] == f"{PAGE}empty/"
    assert not is_gone(document)


def test_an_empty_trash_offers_nothing_to_empty(visitor: Client) -> None:
    assert f"{PAGE}empty/" not in visitor.get(PAGE).content.decode()
    assert "There is nothing to erase." in visitor.get(f"{PAGE}empty/").content.decode()


# --- API ---


def test_the_api_reads_purges_and_empties(api_for: ApiFor, alice: User) -> None:
    api = api_for(alice)
    one, other = make_deleted(alice, "One", content="its text"), make_deleted(alice)
    answer = api.get(f"{API}{one.pk}/").json()
    assert (answer["title"], answer["content"], answer["content_length"]) == ("One", "its text", 8)
    assert api.delete(f"{API}{one.pk}/").status_code == 204
    assert api.get(f"{API}{one.pk}/").status_code == 404
    assert api.delete(f"{API}{one.pk}/").status_code == 404
    assert api.delete(API).json() == {"deleted": 1}
    assert is_gone(one)
    assert is_gone(other)


@pytest.mark.parametrize("method", ["get", "delete"])
def test_the_api_gives_nothing_that_is_not_yours(
    api_for: ApiFor, alice: User, operator: User, method: str
) -> None:
    document = make_deleted(alice)
    living = make_document(alice)
    assert getattr(api_for(operator), method)(f"{API}{document.pk}/").status_code == 404
    assert getattr(api_for(alice), method)(f"{API}{living.pk}/").status_code == 404
    assert getattr(api_for(alice), method)(f"{API}nonsense/").status_code == 404
    assert api_for(operator).delete(API).json() == {"deleted": 0}
    assert not is_gone(document)
