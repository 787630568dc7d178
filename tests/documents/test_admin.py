"""Operators see that documents are there; what they say, only by an act that is recorded."""

import pytest
from django.test import Client

from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from skills.models import AuditEvent
from tests.documents.conftest import BrowserOf
from tests.documents.factories import events_of, make_document, person

pytestmark = pytest.mark.django_db
SECRETS = ("Secret title", "secret text", "secret summary", "secrettag")


@pytest.fixture
def document(alice: User) -> Document:
    return make_document(
        alice, "Secret title", "secret text", summary="secret summary", tags="secrettag"
    )


@pytest.fixture
def console(browser_of: BrowserOf, operator: User) -> Client:
    return browser_of(operator)


def pages_of(document: Document) -> list[str]:
    version = DocumentVersion.objects.get(document_id=document.pk)
    return [
        "/admin/documents/document/",
        "/admin/documents/document/?q=Secret",
        f"/admin/documents/document/{document.pk}/change/",
        "/admin/documents/documentversion/",
        f"/admin/documents/documentversion/{version.pk}/change/",
    ]


def test_no_page_shows_a_text(console: Client, document: Document) -> None:
    for page in pages_of(document):
        response = console.get(page)
        assert response.status_code == 200
        text = response.content.decode().replace('value="Secret"', "")
        assert not [secret for secret in SECRETS if secret in text]


@pytest.mark.parametrize("which", ["document", "documentversion"])
def test_looking_at_a_text_is_asked_and_recorded(
    console: Client, operator: User, document: Document, which: str
) -> None:
    row = document if which == "document" else DocumentVersion.objects.get()
    page = f"/admin/documents/{which}/{row.pk}/reveal/"
    asked = console.get(page)
    assert "secret text" not in asked.content.decode()
    assert events_of(document) == ["document.created"]
    shown = console.post(page)
    assert "secret text" in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    event = AuditEvent.objects.latest("pk")
    assert (event.action, event.actor, event.target_id) == (
        "document.viewed",
        "operator",
        str(document.pk),
    )
    assert "secret" not in str(event.metadata)


def test_operators_change_nothing(console: Client, document: Document) -> None:
    base = f"/admin/documents/document/{document.pk}"
    assert console.post(f"{base}/delete/", {"post": "yes"}).status_code == 403
    assert console.post(f"{base}/change/", {"type": "memory"}).status_code == 403
    assert console.get("/admin/documents/document/add/").status_code == 403
    assert Document.objects.get().revision == 1


def test_staff_without_the_permission_and_others_see_nothing(
    browser_of: BrowserOf, document: Document, stranger: User, bob: User
) -> None:
    bob.is_staff = True
    bob.save()
    page = f"/admin/documents/document/{document.pk}/reveal/"
    assert browser_of(bob).post(page).status_code == 403
    assert browser_of(stranger).post(page).status_code == 302
    assert events_of(document) == ["document.created"]


def test_a_deleted_document_is_still_in_its_versions(
    console: Client, alice: User, document: Document
) -> None:
    services.delete_document(person(alice), document.pk)
    assert console.get("/admin/documents/documentversion/?change=deleted").status_code == 200
