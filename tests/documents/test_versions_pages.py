"""The pages of versions: who changed what, what differs, and the way back."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from agents.models import Agent
from config.base.actor import Actor, Origin
from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from documents.versus import ROWS_ON_A_PAGE
from tests.documents.conftest import BrowserOf
from tests.documents.factories import agent_of, events_of, make_document, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(browser_of: BrowserOf, alice: User) -> Client:
    return browser_of(alice)


@pytest.fixture
def document(alice: User) -> Document:
    """Of three revisions: alice's, an agent's, alice's title."""
    document = make_document(alice, "Notes", "one\ntwo\nthree", tags="a")
    services.update_document(agent_of(alice), document.pk, content="one\n2\nthree\nfour")
    return services.update_document(person(alice), document.pk, title="New notes")


def address(document: Document, page: str = "") -> str:
    return f"/documents/{document.pk}/versions/{page}"


def test_the_list_says_who_did_what(visitor: Client, alice: User, document: Document) -> None:
    guide = Agent.objects.create(slug="guide", name="Guide")
    actor = Actor(user=alice, origin=Origin.CHAT, agent_id=guide.pk)
    services.update_document(actor, document.pk, tags="b")
    page = visitor.get(address(document))
    told = [(line.revision, line.actor_label, line.sentence) for line in page.context["lines"]]
    assert told == [
        (4, "Guide", "changed tags"),
        (3, "You", "changed title"),
        (2, "An agent", "changed text, summary"),
        (1, "You", "created"),
    ]
    text = page.content.decode()
    assert address(document, "3/diff/4/") in text
    assert address(document, "0/diff/1/") not in text
    assert address(document, "4/restore/") not in text  # it is what there is now


def test_the_list_has_pages_and_takes_few_queries(
    visitor: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    document = make_document(alice)
    for number in range(30):
        services.update_document(person(alice), document.pk, content=f"text {number}")
    with django_assert_num_queries(8):  # session, user, document, count, page, oldest, two badges
        assert len(visitor.get(address(document)).context["lines"]) == 25
    assert len(visitor.get(address(document) + "?page=2").context["lines"]) == 6


def test_a_version_is_shown_as_it_was(visitor: Client, document: Document) -> None:
    page = visitor.get(address(document, "1/"))
    text = page.content.decode()
    assert page.status_code == 200
    assert "one<br>\ntwo<br>\nthree" in text
    assert "This is revision 1. The document is at revision 3 by now." in text
    assert (
        "This is how the document is now." in visitor.get(address(document, "3/")).content.decode()
    )


def test_what_changed_is_marked_by_line_and_word(visitor: Client, document: Document) -> None:
    page = visitor.get(address(document, "1/diff/3/"))
    text = page.content.decode()
    kinds = [row.kind for row in page.context["page_obj"]]
    assert kinds == ["same", "removed", "added", "same", "added"]
    assert [field.label for field in page.context["fields"]] == ["title", "summary"]
    assert "<del>Notes</del>" in text.replace("<b>", "").replace("</b>", "")
    assert '<td class="sign new-sign">+</td>' in text


def test_where_no_text_changed_it_says_what_was_done(visitor: Client, alice: User) -> None:
    document = make_document(alice)
    services.delete_document(person(alice), document.pk)
    services.restore_document(person(alice), document.pk)
    page = visitor.get(address(document, "1/diff/2/")).content.decode()
    assert "<span>Deleted</span>" in page
    assert (
        "<span>Restored from the trash</span>"
        in visitor.get(address(document, "2/diff/3/")).content.decode()
    )


def test_of_one_version_alone_nothing_is_compared(visitor: Client, alice: User) -> None:
    document = make_document(alice)
    page = visitor.get(address(document)).content.decode()
    assert 'type="radio"' not in page
    assert f'href="{address(document, "1/")}">View' in page


def test_either_may_be_the_older_one(visitor: Client, document: Document) -> None:
    page = visitor.get(address(document, "3/diff/1/"))
    assert [row.kind for row in page.context["page_obj"]][-1] == "removed"
    assert "Both say the same." in visitor.get(address(document, "2/diff/2/")).content.decode()


def test_the_form_leads_to_the_comparison(visitor: Client, document: Document) -> None:
    response = visitor.get(address(document, "compare/"), {"from": "1", "to": "3"})
    assert response.headers["Location"] == address(document, "1/diff/3/")
    for given in (
        {},
        {"from": "x", "to": "3"},
        {"from": "²", "to": "3"},
        {"from": "9" * 5000, "to": "3"},
    ):
        response = visitor.get(address(document, "compare/"), given)
        assert response.headers["Location"] == address(document)


def test_what_is_far_from_a_change_is_folded(visitor: Client, alice: User) -> None:
    lines = [f"line {number}" for number in range(40)]
    document = make_document(alice, content="\n".join(lines))
    lines[20] = "other"
    services.update_document(person(alice), document.pk, content="\n".join(lines))
    page = visitor.get(address(document, "1/diff/2/"))
    rows = page.context["page_obj"].object_list
    assert [row.count for row in rows if row.kind == "fold"] == [17, 16]
    everything = visitor.get(address(document, "1/diff/2/?all=1")).context["page_obj"].object_list
    assert len(everything) == 41


def test_a_comparison_of_full_length_has_pages(visitor: Client, alice: User) -> None:
    document = make_document(alice, content="a\n" * 24_999)
    services.update_document(person(alice), document.pk, content="b\n" * 24_999)
    page = visitor.get(address(document, "1/diff/2/"))
    assert len(page.context["page_obj"]) == ROWS_ON_A_PAGE
    assert page.context["compared"].added == 24_999


def test_restoring_asks_first_and_makes_a_new_version(
    visitor: Client, alice: User, document: Document
) -> None:
    asked = visitor.get(address(document, "1/restore/"))
    assert "Go back to revision 1?" in asked.content.decode()
    assert [field.label for field in asked.context["fields"]] == ["title", "summary"]
    assert Document.objects.get().revision == 3
    response = visitor.post(address(document, "1/restore/"), {"expected_revision": 3})
    assert response.headers["Location"] == f"/documents/{document.pk}/"
    restored = Document.objects.get()
    assert (restored.title, restored.content, restored.revision) == (
        "Notes",
        "one\ntwo\nthree",
        4,
    )
    kept = DocumentVersion.objects.filter(document_id=document.pk).order_by("revision")
    assert [version.change for version in kept] == ["created", "updated", "updated", "restored"]
    assert kept[3].restored_from == 1
    assert events_of(document)[-1] == "document.restored"
    line = visitor.get(address(document)).context["lines"][0]
    assert line.sentence == "restored r1"


def test_what_changed_since_it_was_shown_is_not_overwritten(
    visitor: Client, alice: User, document: Document
) -> None:
    response = visitor.post(address(document, "1/restore/"), {"expected_revision": 2})
    assert response.headers["Location"] == address(document, "1/restore/")
    assert Document.objects.get().revision == 3


def test_restoring_what_is_there_already_changes_nothing(
    visitor: Client, alice: User, document: Document
) -> None:
    visitor.post(address(document, "3/restore/"), {"expected_revision": 3})
    assert Document.objects.get().revision == 3
    assert events_of(document)[-1] == "document.updated"


def test_what_an_agent_took_in_stays_marked_when_the_text_goes_back(alice: User) -> None:
    document = make_document(alice, content="mine")
    services.update_document(
        agent_of(alice), document.pk, content="fetched", provenance=["untrusted"]
    )
    services.update_document(person(alice), document.pk, content="mine again")
    restored = services.restore_version(person(alice), document.pk, 1)
    assert restored.provenance == ["own", "untrusted"]


def test_a_text_that_is_longer_than_the_limit_by_now_can_be_restored(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = make_document(alice, content="x" * 500)
    services.update_document(person(alice), document.pk, content="short")
    monkeypatch.setattr("documents.texts.MAX_CONTENT_LENGTH", 100)
    assert services.restore_version(person(alice), document.pk, 1).content == "x" * 500


@pytest.mark.parametrize("page", ["9/", "1/diff/9/", "9/diff/1/", "9/restore/", f"{10**12}/"])
def test_a_version_that_is_not_there_is_missing(
    visitor: Client, document: Document, page: str
) -> None:
    assert visitor.get(address(document, page)).status_code == 404


def test_a_deleted_document_has_no_versions_to_see(
    visitor: Client, alice: User, document: Document
) -> None:
    services.delete_document(person(alice), document.pk)
    for page in ("", "1/", "1/diff/2/", "1/restore/"):
        assert visitor.get(address(document, page)).status_code == 404
    assert visitor.post(address(document, "1/restore/")).status_code == 404


def test_what_people_wrote_is_text_in_every_view(visitor: Client, alice: User) -> None:
    evil = "<script>alert(1)</script>"
    document = make_document(alice, evil, f"{evil}\n\nmore")
    services.update_document(person(alice), document.pk, content=f"{evil} {evil}", title=evil * 2)
    for page in ("", "1/", "1/diff/2/", "1/restore/"):
        assert "<script>alert" not in visitor.get(address(document, page)).content.decode()


@pytest.mark.parametrize(
    ("page", "method", "status"),
    [
        ("", "post", 405),
        ("1/", "post", 405),
        ("1/diff/2/", "post", 405),
        ("1/restore/", "put", 405),
    ],
)
def test_other_methods_are_refused(
    visitor: Client, document: Document, page: str, method: str, status: int
) -> None:
    response: Any = getattr(visitor, method)(address(document, page))
    assert response.status_code == status
