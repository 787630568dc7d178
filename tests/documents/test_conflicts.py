"""Somebody saved while somebody else was writing: nothing is lost, and the writer decides."""

from typing import Any

import pytest
from django.test import Client

from config.base.models import User
from documents import services
from documents.models import Document, DocumentVersion
from tests.documents.conftest import BrowserOf
from tests.documents.factories import agent_of, make_document, person
from tests.documents.test_pages import form_of

pytestmark = pytest.mark.django_db

TEXT = "first\nsecond\nthird\n"
THEIRS = "first, by them\nsecond\nthird\n"
APART = "first\nsecond\nthird, by me\n"
SAME_LINE = "first, by me\nsecond\nthird\n"


@pytest.fixture
def visitor(browser_of: BrowserOf, alice: User) -> Client:
    return browser_of(alice)


class Writer:
    """Somebody at the edit form, as a browser without JavaScript sends it."""

    def __init__(self, visitor: Client, document: Document) -> None:
        self.visitor = visitor
        self.url = f"/documents/{document.pk}/edit/"
        self.fields: dict[str, Any] = form_of(document)

    def press(self, decision: str = "", **changes: Any) -> Any:
        self.fields.update(changes)
        data = {**self.fields, **({"decision": decision} if decision else {})}
        response = self.visitor.post(self.url, data)
        if response.status_code == 409:
            self._take_over(response)
        return response

    def _take_over(self, response: Any) -> None:
        form, texts = response.context["form"], response.context["texts"]
        self.fields = {field.name: field.value() for field in form}
        mode = "merge" if response.context["merging"] else "mine"
        self.fields.update(base_revision=texts.base_revision, mode=mode, mine=texts.mine)


@pytest.fixture
def writer(visitor: Client, alice: User) -> Writer:
    """Began with r1; an agent has saved r2 since."""
    document = make_document(alice, "Notes", TEXT, tags="a")
    writer = Writer(visitor, document)
    services.update_document(agent_of(alice), document.pk, content=THEIRS, tags="a, b")
    return writer


def saved() -> tuple[str, int]:
    document = Document.objects.get()
    return document.content, document.revision


def test_changes_in_different_places_are_put_together_and_shown_first(writer: Writer) -> None:
    response = writer.press(content=APART)
    assert response.status_code == 409
    assert "Both changes fit together." in response.content.decode()
    assert writer.fields["content"] == "first, by them\nsecond\nthird, by me\n"
    assert saved() == (THEIRS, 2)
    assert writer.press("save").status_code == 302
    assert saved() == ("first, by them\nsecond\nthird, by me\n", 3)


def test_one_can_go_back_to_ones_own_text(writer: Writer) -> None:
    writer.press(content=APART)
    writer.press("mine")
    assert writer.fields["content"] == APART
    writer.press("save")
    assert saved() == (APART, 3)


def test_changes_of_the_same_line_show_both_texts_and_what_differs(writer: Writer) -> None:
    response = writer.press(content=SAME_LINE)
    text = response.content.decode()
    assert writer.fields["content"] == SAME_LINE
    assert "first, by them" in text
    assert [line.revision for line in response.context["meanwhile"]] == [2]
    assert response.context["meanwhile"][0].actor_label == "An agent"
    assert response.context["rows"][0].kind == "changed"
    writer.press("save")
    assert saved() == (SAME_LINE, 3)


def test_merging_by_hand_starts_from_both_and_refuses_marks_that_were_left(writer: Writer) -> None:
    writer.press(content=SAME_LINE)
    response = writer.press("merge")
    assert "1 place to decide" in response.content.decode()
    assert writer.fields["content"].startswith("<<<<<<< yours\nfirst, by me\n=======\n")
    refused = writer.press("save")
    assert "still places to decide" in refused.content.decode()
    assert saved() == (THEIRS, 2)
    assert writer.fields["mine"] == SAME_LINE
    writer.press("save", content="first, by both\nsecond\nthird\n")
    assert saved() == ("first, by both\nsecond\nthird\n", 3)


def test_mine_can_become_a_document_of_its_own(writer: Writer) -> None:
    writer.press(content=SAME_LINE)
    assert writer.press("copy").status_code == 302
    assert {document.content for document in Document.objects.all()} == {THEIRS, SAME_LINE}


def test_fields_that_the_writer_left_alone_follow_the_other_side(writer: Writer) -> None:
    writer.press(content=SAME_LINE, title="My title")
    assert (writer.fields["tags"], writer.fields["title"]) == ("a, b", "My title")


def test_whoever_saves_once_more_in_between_is_seen_too(writer: Writer, alice: User) -> None:
    writer.press(content=APART)
    document = Document.objects.get()
    services.update_document(person(alice), document.pk, content="zeroth\n" + THEIRS)
    response = writer.press("save")
    assert response.status_code == 409
    merged = "zeroth\nfirst, by them\nsecond\nthird, by me\n"
    assert writer.fields["content"] == merged
    writer.press("save")
    assert saved() == (merged, 4)


def test_a_version_that_is_no_longer_kept_is_no_obstacle(writer: Writer) -> None:
    DocumentVersion.objects.filter(revision=1).delete()
    response = writer.press(content=SAME_LINE)
    assert response.context["their_rows"] is None
    writer.press("merge")
    assert "first, by me" in writer.fields["content"]
    assert "first, by them" in writer.fields["content"]


def test_what_is_wrong_in_the_form_keeps_the_conflict_in_sight(writer: Writer) -> None:
    writer.press(content=SAME_LINE)
    response = writer.press("save", title=" ")
    text = response.content.decode()
    assert response.status_code == 409
    assert "Not saved yet" in text
    assert "first, by them" in text
    assert saved() == (THEIRS, 2)


def test_the_line_ending_of_the_document_survives_a_merge(visitor: Client, alice: User) -> None:
    document = make_document(alice, content="a\r\nb\r\nc\r\n")
    writer = Writer(visitor, document)
    services.update_document(agent_of(alice), document.pk, content="A\r\nb\r\nc\r\n")
    writer.press(content="a\r\nb\r\nC\r\n")
    writer.press("save")
    assert saved() == ("A\r\nb\r\nC\r\n", 3)


@pytest.mark.parametrize("decision", ["merge", "mine", "copy", "nonsense"])
def test_a_button_pressed_with_nothing_to_decide_is_no_error(
    visitor: Client, alice: User, decision: str
) -> None:
    document = make_document(alice)
    response = visitor.post(f"/documents/{document.pk}/edit/", {"decision": decision})
    assert response.status_code in (400, 409)
    assert Document.objects.get().revision == 1


@pytest.mark.parametrize("decision", ["merge", "mine", ""])
def test_a_text_far_too_long_is_compared_with_nothing(
    writer: Writer, decision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comparing it would take the processor for seconds; the form says what is wrong."""
    monkeypatch.setattr("documents.views.conflicts.compare", None)
    monkeypatch.setattr("documents.views.conflicts.merge_texts", None)
    page = writer.press(decision, content="a\n" * 60_000)
    assert page.status_code == 400
    assert "content" in page.context["form"].errors
    assert writer.press(decision, content="short", mine="a\n" * 60_000).status_code == 400
