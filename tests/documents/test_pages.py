"""The pages under `/documents/`: a person reads, finds, writes and deletes what is theirs."""

import uuid
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from agents.models import Agent
from config.base.actor import Actor, Origin
from config.base.models import User
from documents import services
from documents.models import Document
from tests.documents.conftest import BrowserOf
from tests.documents.factories import agent_of, events_of, make_document, person

pytestmark = pytest.mark.django_db
LIST, NEW, PREVIEW = "/documents/", "/documents/new/", "/documents/preview/"


def address(document: Document, page: str = "") -> str:
    return f"{LIST}{document.pk}/{page}"


def form_of(document: Document, **values: Any) -> dict[str, Any]:
    return {
        "title": document.title,
        "type": document.type,
        "tags": ", ".join(document.tags),
        "summary": document.summary,
        "content": document.content,
        "expected_revision": document.revision,
        **values,
    }


@pytest.fixture
def visitor(browser_of: BrowserOf, alice: User) -> Client:
    return browser_of(alice)


# --- List ---


def test_the_list_has_a_tab_for_each_type(visitor: Client, alice: User, bob: User) -> None:
    make_document(alice, "Weekly report")
    make_document(alice, "What Alice likes", type="memory")
    make_document(bob, "Secret of Bob")
    page = visitor.get(LIST)
    assert [(tab["count"], tab["active"]) for tab in page.context["tabs"]] == [
        (1, True),
        (1, False),
    ]
    text = page.content.decode()
    assert "Weekly report" in text
    assert "What Alice likes" not in text
    assert "What Alice likes" in visitor.get(LIST + "?type=memory").content.decode()
    assert "Secret of Bob" not in text


def test_the_list_is_searched_sorted_and_narrowed(visitor: Client, alice: User) -> None:
    make_document(alice, "B", "an apple", tags="x, y")
    make_document(alice, "A", "an apple", tags="x")
    make_document(alice, "C", "a pear", type="memory", tags="x")
    page = visitor.get(LIST, {"q": "APPLE", "tag": "x", "sort": "title"})
    assert [document.title for document in page.context["page_obj"]] == ["A", "B"]
    assert page.context["tags"] == [{"name": "x", "count": 2}, {"name": "y", "count": 1}]
    assert [tab["count"] for tab in page.context["tabs"]] == [2, 0]
    memory = page.context["tabs"][1]["url"]
    assert "q=APPLE" in memory
    assert "type=memory" in memory
    assert visitor.get(LIST + memory).status_code == 200


def test_the_list_has_pages(visitor: Client, alice: User) -> None:
    for number in range(21):
        make_document(alice, f"D{number}")
    assert len(visitor.get(LIST).context["page_obj"]) == 20
    page = visitor.get(LIST + "?page=2")
    assert [document.title for document in page.context["page_obj"]] == ["D0"]


@pytest.mark.parametrize(
    "query", ["page=99", "page=x", "type=x", "sort=x", "q=%00", "q=" + "x" * 9_999, "tag=%0A"]
)
def test_an_address_that_somebody_typed_is_no_error(visitor: Client, query: str) -> None:
    assert visitor.get(f"{LIST}?{query}").status_code == 200


def test_an_empty_list_says_what_to_do(visitor: Client) -> None:
    assert NEW in visitor.get(LIST).content.decode()
    assert "Nothing found" in visitor.get(LIST + "?q=x").content.decode()


def test_the_list_takes_few_queries(
    visitor: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        make_document(alice, f"D{number}", tags=f"t{number}")
    with django_assert_num_queries(8):  # session, user, two counts, tags, page, two badges
        visitor.get(LIST)


# --- Read ---


def test_it_shows_one_with_its_history(visitor: Client, alice: User) -> None:
    document = make_document(alice, "Notes", "# One\n\n## Two\n\ntext", tags="a")
    services.update_document(agent_of(alice), document.pk, tags="b")
    page = visitor.get(address(document))
    assert page.status_code == 200
    assert page.context["contents"] == (
        '<ul class="outline" role="list"><li data-level="1"><a href="#u-one">One</a></li>'
        '<li data-level="2"><a href="#u-two">Two</a></li></ul>'
    )
    lines = page.context["versions"]
    assert [(line.revision, line.actor_label, line.by_agent) for line in lines] == [
        (2, "An agent", True),
        (1, "You", False),
    ]
    assert lines[0].change == "tags"
    assert '<h1 id="u-one">One</h1>' in page.content.decode()


def test_it_names_the_agent_that_changed_it(visitor: Client, alice: User) -> None:
    guide = Agent.objects.create(slug="guide", name="Guide")
    actor = Actor(user=alice, origin=Origin.CHAT, agent_id=guide.pk)
    document = make_document(alice, "Notes", "text")
    services.update_document(actor, document.pk, content="other text")
    lines = visitor.get(address(document)).context["versions"]
    assert [line.actor_label for line in lines] == ["Guide", "You"]
    services.delete_document(actor, document.pk)
    assert "Deleted by Guide" in visitor.get("/documents/trash/").content.decode()


@pytest.mark.parametrize(
    ("content", "summary", "shown"),
    [
        ("# Short\n\ntext", "", False),  # made from the text
        ("word " * 500, "", False),
        ("# Short\n\ntext", "What it is about", True),
    ],
)
def test_a_summary_that_only_repeats_the_text_is_not_shown(
    visitor: Client, alice: User, content: str, summary: str, shown: bool
) -> None:
    document = services.create_document(person(alice), title="N", content=content, summary=summary)
    page = visitor.get(address(document)).content.decode()
    assert ("reader-summary" in page) is shown


def test_a_refused_form_says_at_its_top_what_is_wrong_and_leads_there(visitor: Client) -> None:
    page = visitor.post(NEW, {"title": "T", "type": "document", "content": "  "})
    assert page.status_code == 400
    alert = page.content.decode().partition('role="alert"')[2].partition("</form>")[0]
    assert '<a href="#id_content">Text</a>:' in alert
    assert 'id="id_content"' in page.content.decode()
    assert 'role="alert"' not in visitor.get(NEW).content.decode()


def test_reading_one_takes_few_queries(
    visitor: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    document = make_document(alice)
    for number in range(20):
        services.update_document(person(alice), document.pk, content=f"text {number}")
    with django_assert_num_queries(7):  # session, user, document, versions, shares, two badges
        visitor.get(address(document))


def test_a_title_is_text(visitor: Client, alice: User) -> None:
    document = make_document(alice, "<script>alert(1)</script>", tags="<b>")
    for page in (LIST, address(document), address(document, "edit/"), address(document, "delete/")):
        assert "<script>alert" not in visitor.get(page).content.decode()


# --- Write ---


def test_it_creates(visitor: Client, alice: User) -> None:
    assert visitor.get(NEW).status_code == 200
    body = {
        "title": "New",
        "type": "document",
        "tags": "a,b",
        "summary": "",
        "content": "x\r\ny\r\n",
    }
    response = visitor.post(NEW, body)
    document = Document.objects.get()
    assert response.headers["Location"] == address(document)
    assert (document.owner, document.content, document.tags) == (alice, "x\ny\n", ["a", "b"])
    assert events_of(document) == ["document.created"]


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"title": " "}, "title"),
        ({"content": " "}, "content"),
        ({"content": "x" * 50_001}, "content"),
        ({"tags": "x" * 501}, "tags"),
        ({"type": "page"}, "type"),
        ({"summary": "x" * 2_001}, "summary"),
    ],
)
def test_it_says_what_is_wrong_and_keeps_the_rest(
    visitor: Client, values: dict[str, str], field: str
) -> None:
    body = {"title": "Kept title", "type": "document", "content": "Kept text", **values}
    response = visitor.post(NEW, body)
    assert response.status_code == 400
    assert response.context["form"].errors.keys() == {field}
    assert "Kept" in response.content.decode()
    assert not Document.objects.exists()


def test_it_edits(visitor: Client, alice: User) -> None:
    document = make_document(alice, content="a\nb", summary="By hand")
    assert visitor.get(address(document, "edit/")).status_code == 200
    response = visitor.post(address(document, "edit/"), form_of(document, content="a\r\nb\r\nc"))
    assert response.headers["Location"] == address(document)
    document.refresh_from_db()
    assert (document.content, document.revision) == ("a\nb\nc", 2)
    assert document.summary == "a b c"  # left as it was, so made anew with the text
    assert events_of(document)[-1] == "document.updated"


def test_saving_without_a_change_is_no_revision(visitor: Client, alice: User) -> None:
    document = make_document(alice, content="a\r\nb\n", summary="By hand", tags="x")
    visitor.post(address(document, "edit/"), form_of(document, content="a\r\nb\r\n"))
    other = make_document(alice, content="a\nb\n")
    visitor.post(address(other, "edit/"), form_of(other, content="a\r\nb\r\n"))
    other.refresh_from_db()
    assert other.revision == 1
    document.refresh_from_db()
    assert document.content == "a\r\nb\r\n"


def test_saving_in_between_shows_both_texts(visitor: Client, alice: User) -> None:
    document = make_document(alice, content="theirs before")
    services.update_document(agent_of(alice), document.pk, content="theirs now")
    mine = form_of(document, content="mine", title="My title")
    response = visitor.post(address(document, "edit/"), mine)
    assert response.status_code == 409
    text = response.content.decode()
    assert "theirs now" in text
    assert "mine" in text
    assert "My title" in text
    assert "An agent" in text
    document.refresh_from_db()
    assert document.content == "theirs now"
    shown = response.context["form"]
    again = {field.name: field.value() for field in shown}
    assert visitor.post(address(document, "edit/"), again).status_code == 302
    document.refresh_from_db()
    assert (document.content, document.revision, document.summary) == ("mine", 3, "mine")


def test_a_text_whose_document_was_deleted_in_between_is_not_lost(
    visitor: Client, alice: User
) -> None:
    document = make_document(alice)
    mine = form_of(document, content="long written")
    services.delete_document(person(alice), document.pk)
    response = visitor.post(address(document, "edit/"), mine)
    assert response.status_code == 409
    assert "long written" in response.content.decode()
    again = visitor.post(address(document, "edit/"), {**mine, "expected_revision": ""})
    [kept] = Document.objects.all()
    assert again.headers["Location"] == address(kept)
    assert (kept.content, kept.revision) == ("long written", 1)
    assert kept.pk != document.pk


def test_the_preview_is_what_the_page_will_show(visitor: Client) -> None:
    response = visitor.post(PREVIEW, {"content": "# Hi <script>"})
    assert response.content.decode().strip() == '<h1 id="u-hi-script">Hi &lt;script&gt;</h1>'
    assert not Document.objects.exists()


# --- Delete ---


def test_deleting_asks_first(visitor: Client, alice: User) -> None:
    document = make_document(alice, "Notes")
    assert "Delete “Notes”?" in visitor.get(address(document, "delete/")).content.decode()
    assert Document.objects.exists()
    response = visitor.post(address(document, "delete/"), {"expected_revision": 1})
    assert response.headers["Location"] == LIST
    assert not Document.objects.exists()
    assert events_of(document)[-1] == "document.deleted"


def test_what_changed_since_it_was_shown_is_not_deleted(visitor: Client, alice: User) -> None:
    document = make_document(alice)
    services.update_document(person(alice), document.pk, content="newer")
    response = visitor.post(address(document, "delete/"), {"expected_revision": 1})
    assert response.headers["Location"] == address(document, "delete/")
    assert Document.objects.exists()


# --- Who may ---


@pytest.mark.parametrize("page", ["", "edit/", "delete/"])
def test_a_stranger_finds_nothing(
    browser_of: BrowserOf, alice: User, stranger: User, operator: User, page: str
) -> None:
    document = make_document(alice, "Secret")
    for user in (stranger, operator):
        visitor = browser_of(user)
        for missing in (address(document, page), f"{LIST}{uuid.uuid4()}/{page}"):
            response = visitor.get(missing)
            assert response.status_code == 404
            assert "Secret" not in response.content.decode()
        if page:
            assert visitor.post(address(document, page), form_of(document)).status_code == 404
    assert Document.objects.get().revision == 1


@pytest.mark.parametrize("page", [LIST, NEW, PREVIEW, f"{LIST}{uuid.UUID(int=1)}/"])
def test_nobody_gets_in_without_signing_in(client: Client, page: str) -> None:
    response = client.post(page) if page == PREVIEW else client.get(page)
    assert response.status_code == 302
    assert "/accounts/login/" in response.headers["Location"]


def test_other_methods_are_refused(visitor: Client, alice: User) -> None:
    document = make_document(alice)
    assert visitor.post(LIST).status_code == 405
    assert visitor.post(address(document)).status_code == 405
    assert visitor.get(PREVIEW).status_code == 405
    assert visitor.put(address(document, "edit/")).status_code == 405


# --- Searching ---


def test_a_search_marks_what_it_found_and_says_why(visitor: Client, alice: User) -> None:
    make_document(alice, "<Zebra> plan", "Two zebras & a lion <b>x</b>")
    text = visitor.get(LIST + "?q=zebra").content.decode()
    assert "&lt;<mark>Zebra</mark>&gt; plan" in text
    assert "Two <mark>zebras</mark> &amp; a lion" in text
    assert "Words: zebra" in text
    assert '<option value="" selected>Best match</option>' in text
    assert "<mark>" not in visitor.get(LIST).content.decode()


def test_a_search_that_finds_nothing_asks_what_was_meant(
    visitor: Client, alice: User, bob: User
) -> None:
    make_document(alice, "Zebra crossing")
    make_document(bob, "Zerba of bob")
    text = visitor.get(LIST + "?q=zerba&page=2").content.decode()
    assert "Nothing found" in text
    assert '<a href="?q=Zebra">Zebra</a>' in text
    assert "of bob" not in text
    assert "Did you mean" not in visitor.get(LIST + "?q=qqqq").content.decode()


def test_a_search_keeps_the_order_that_was_chosen(visitor: Client, alice: User) -> None:
    make_document(alice, "Alpha", "zebra zebra zebra")
    make_document(alice, "Beta", "a zebra among many other animals of the plain")

    def order(query: str) -> list[str]:
        page = visitor.get(f"{LIST}?q=zebra{query}").context["page_obj"]
        return [document.title for document in page]

    assert order("") == ["Alpha", "Beta"]
    assert order("&sort=-updated_at") == ["Beta", "Alpha"]
    assert order("&sort=-created_at") == ["Beta", "Alpha"]


def test_a_search_takes_few_queries_however_much_is_found(
    visitor: Client, alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        make_document(alice, f"D{number}", "zebra " * 300, tags="a")
    # session, user, seven of the index, counts, page, contents, tags, two badges
    with django_assert_num_queries(15):
        page = visitor.get(LIST + "?q=zebra").context["page_obj"]
    assert (page.paginator.count, len(page.object_list)) == (30, 20)
