"""The pages of knowledge: from a new space to a cited answer, with empty and error states."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config.base.models import User
from documents.enums import SpaceRole
from documents.models import KnowledgeSpace, Resource, SpaceMember
from jobs.testing import run_due_jobs
from tests.documents.conftest import BrowserOf
from tests.documents.knowledge import pdfs
from tests.documents.knowledge.factories import join, make_resource, make_space
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(browser_of: BrowserOf, alice: User) -> Client:
    return browser_of(alice)


def text_of(response: Any) -> str:
    return str(response.content.decode())


def test_from_a_new_space_to_a_cited_answer(browser: Client, alice: User) -> None:
    made = browser.post("/knowledge/new/", {"name": "Pump manual"}, follow=True)
    assert "Pump manual" in text_of(made)
    space = KnowledgeSpace.objects.get()
    page = f"/knowledge/spaces/{space.pk}/"
    file = SimpleUploadedFile("pump.pdf", pdfs.text_pdf(["Cover", "Check the pump every 90 days."]))
    sent = browser.post(f"{page}upload/", {"file": file, "title": ""}, follow=True)
    assert "waits to be read" in text_of(sent)
    assert 'hx-trigger="every 2s"' in text_of(sent)
    run_due_jobs()
    files = text_of(browser.get(f"{page}files/"))
    assert "2 pages" in files
    assert "hx-trigger" not in files
    found = text_of(browser.get(page, {"q": "How often is the pump checked?"}))
    resource = Resource.objects.get()
    address = f"/knowledge/resources/{resource.pk}/?passage=1#passage-1"
    assert address in found.replace("&amp;", "&")
    assert "page 2" in found
    cited = text_of(browser.get(address))
    assert 'id="passage-1" aria-current="true"' in cited
    assert "Check the pump every 90 days." in cited


def test_nothing_that_answers_is_said_so(
    browser: Client, alice: User, space: KnowledgeSpace
) -> None:
    make_resource(alice, space, "Bread is baked at night.")
    page = text_of(browser.get(f"/knowledge/spaces/{space.pk}/", {"q": "quantum chromodynamics"}))
    assert "Nothing here answers that" in page


def test_lists_without_anything_say_what_to_do(browser: Client, space: KnowledgeSpace) -> None:
    assert "Upload a file" in text_of(browser.get(f"/knowledge/spaces/{space.pk}/"))
    KnowledgeSpace.objects.all().delete()
    assert "Make a space" in text_of(browser.get("/knowledge/"))


def test_a_file_that_is_refused_is_told_beside_its_field(
    browser: Client, space: KnowledgeSpace
) -> None:
    file = SimpleUploadedFile("photo.pdf", b"\x89PNG\r\n\x1a\n" + bytes(200))
    refused = browser.post(f"/knowledge/spaces/{space.pk}/upload/", {"file": file})
    assert refused.status_code == 400
    assert "Files of this kind are not taken" in text_of(refused)
    assert not Resource.objects.exists()


def test_a_failed_file_says_why_and_can_be_read_anew(
    browser: Client, alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, pdfs.picture_pdf(), "scan.pdf")
    page = text_of(browser.get(f"/knowledge/resources/{resource.pk}/"))
    assert "recognised text" in page
    again = browser.post(f"/knowledge/resources/{resource.pk}/reread/", follow=True)
    assert "It is being read" in text_of(again)


def test_members_are_let_in_changed_and_taken_out(
    browser: Client, bob: User, space: KnowledgeSpace
) -> None:
    page = f"/knowledge/spaces/{space.pk}/members/"
    browser.post(page, {"username": "bob", "role": "reader"})
    browser.post(page, {"username": "bob", "role": "editor"})
    member = SpaceMember.objects.get(user=bob)
    assert member.role == SpaceRole.EDITOR
    unknown = browser.post(page, {"username": "nobody-at-all", "role": "reader"})
    assert "nobody of that name" in text_of(unknown)
    browser.post(f"{page}{member.pk}/remove/")
    assert not SpaceMember.objects.filter(user=bob).exists()
    own = SpaceMember.objects.get()
    last = browser.post(f"{page}{own.pk}/remove/", follow=True)
    assert "Somebody has to manage the space" in text_of(last)


def test_many_members_have_pages(browser: Client, space: KnowledgeSpace) -> None:
    for _ in range(30):
        join(space, UserFactory.create())
    page = f"/knowledge/spaces/{space.pk}/members/"
    first, second = (text_of(browser.get(page, {"page": number})) for number in (1, 2))
    assert first.count("/remove/") == 25
    assert second.count("/remove/") == 6


def test_a_reader_sees_no_forms_and_may_not_post(
    browser_of: BrowserOf, bob: User, alice: User, space: KnowledgeSpace
) -> None:
    resource = make_resource(alice, space, "Words.")
    join(space, bob)
    browser = browser_of(bob)
    for address in (
        f"/knowledge/spaces/{space.pk}/upload/",
        f"/knowledge/spaces/{space.pk}/delete/",
        f"/knowledge/resources/{resource.pk}/delete/",
    ):
        assert 'class="button danger"' not in text_of(browser.get(address))
        assert "multipart/form-data" not in text_of(browser.get(address))
    assert browser.post(f"/knowledge/resources/{resource.pk}/delete/").status_code == 403
    assert browser.post(f"/knowledge/resources/{resource.pk}/reread/").status_code == 403
    assert browser.post(f"/knowledge/spaces/{space.pk}/delete/").status_code == 403
    assert Resource.objects.filter(pk=resource.pk).exists()


def test_deleting_asks_first(browser: Client, alice: User) -> None:
    space = make_space(alice)
    resource = make_resource(alice, space, "Words.")
    for address in (
        f"/knowledge/resources/{resource.pk}/delete/",
        f"/knowledge/spaces/{space.pk}/delete/",
    ):
        assert "for good" in text_of(browser.get(address))
        browser.post(address)
    assert not Resource.objects.exists()
    assert not KnowledgeSpace.objects.exists()
