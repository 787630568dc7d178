"""How long versions are kept."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.base.models import User
from documents import services, versions
from documents.models import Document, DocumentVersion
from tests.documents.factories import make_document, person

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def revisions_of(document: Document) -> list[int]:
    found = DocumentVersion.objects.filter(document_id=document.pk).order_by("revision")
    return list(found.values_list("revision", flat=True))


def test_the_last_hundred_are_kept(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "KEPT_VERSIONS", 3)
    document, other = make_document(alice), make_document(alice)
    for number in range(5):
        services.update_document(person(alice), document.pk, content=f"text {number}")
    assert revisions_of(document) == [4, 5, 6]
    assert revisions_of(other) == [1]


def test_what_is_older_than_a_year_goes_but_never_the_newest(alice: User) -> None:
    document = make_document(alice)
    services.update_document(person(alice), document.pk, content="x")
    long_after = timezone.now() + timedelta(days=366)
    assert versions.prune_versions(document.pk, newest=2, now=long_after) == 1
    assert revisions_of(document) == [2]


def test_the_trash_is_kept_for_thirty_days(alice: User) -> None:
    kept, gone = make_document(alice), make_document(alice)
    services.delete_document(person(alice), gone.pk)
    now = timezone.now()
    assert versions.purge_trash(now + timedelta(days=29)) == 0
    assert versions.purge_trash(now + timedelta(days=31)) == 2
    assert (revisions_of(gone), revisions_of(kept)) == ([], [1])


def test_versions_go_with_the_person(alice: User) -> None:
    document = make_document(alice)
    alice.delete()
    assert revisions_of(document) == []
