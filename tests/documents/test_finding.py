"""Finding documents: by words, by meaning, literally, of one's own alone, and why."""

import uuid
from typing import Any

import pytest
from django.db.models import QuerySet

from config.base.errors import InvalidInput
from config.base.models import User
from documents import services
from documents.finding.hits import find_hits
from documents.finding.marking import Marker
from documents.finding.showing import Shown, show
from documents.finding.suggesting import suggest
from documents.models import Document, SearchEntry, SearchScope
from documents.search.embedding import embed_item
from documents.search.rebuilding import rebuild_some
from documents.search.testing import FakeEmbedder, use_embedder
from documents.search_sources import KIND, item_of
from documents.selectors import count_by_type, list_documents, search_documents
from tests.documents.factories import make_deleted, make_document, person, share_with

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def titles(user: User, q: str, **narrowed: str) -> list[str]:
    return [document.title for document in search_documents(user, q, **narrowed)]


def shown(user: User, q: str) -> dict[str, Shown]:
    found = find_hits(user, q)
    documents = list(search_documents(user, q))
    show(user, documents, found)
    return {document.title: vars(document)["shown"] for document in documents}


@pytest.fixture
def shelf(alice: User, bob: User) -> None:
    make_document(alice, "Travel plan", "We fly to Lisbon in March and stay at the harbour.")
    make_document(alice, "经营分析会纪要", "本周讨论了现金流和应收账款。", tags="会议")
    make_document(alice, "Deployment", "Call `get_user_by_id(conn)` first, see PROJ-1234.")
    make_document(alice, "Shopping", "Bread, olives, wine", type="memory", tags="home")
    make_document(bob, "Travel of Bob", "We fly to Lisbon, too. PROJ-1234")


# --- What is found ---


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("flying to lisbon", "Travel plan"),  # another form of the word
        ("where do we stay in Lisbon?", "Travel plan"),  # a question
        ("应收账款怎么样", "经营分析会纪要"),
        ("会议", "经营分析会纪要"),  # its tag
        ("get_user_by_id", "Deployment"),
        ("user_by", "Deployment"),  # a part of a name
        ("PROJ-123", "Deployment"),
        ("oliv", "Shopping"),  # while one types
        ("shopping", "Shopping"),
    ],
)
def test_it_finds(alice: User, q: str, found: str) -> None:
    assert titles(alice, q)[0] == found


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("q", ["100%", "r_d", "zebra", "飞机", "?", "what is it"])
def test_it_finds_nothing(alice: User, q: str) -> None:
    assert titles(alice, q) == []


@pytest.mark.usefixtures("shelf")
def test_types_and_tags_narrow_it(alice: User) -> None:
    make_document(alice, "Shopping abroad", "olives", tags="abroad")
    assert set(titles(alice, "olives")) == {"Shopping", "Shopping abroad"}
    assert titles(alice, "olives", type="memory") == ["Shopping"]
    assert titles(alice, "olives", tag="ABROAD") == ["Shopping abroad"]
    assert count_by_type(alice, q="olives") == {"memory": 1, "document": 1}


def test_what_is_called_so_comes_first_and_so_does_an_id(alice: User) -> None:
    for number in range(4):
        make_document(alice, f"Wine and wine {number}", "wine wine wine")
    exact = make_document(alice, "Wine", "something else")
    other = make_document(alice, "Cellar", f"see {exact.pk}")
    assert titles(alice, "wine")[0] == "Wine"
    assert titles(alice, str(exact.pk)) == ["Wine", "Cellar"]
    assert titles(alice, str(other.pk).upper())[0] == "Cellar"


def test_a_document_that_has_one_of_many_words_is_left_out_where_others_have_all(
    alice: User,
) -> None:
    make_document(alice, "A", "red fruit")
    make_document(alice, "B", "green fruit")
    assert titles(alice, "fruit red") == ["A"]


def test_a_passage_deep_in_a_long_text_is_found(alice: User) -> None:
    text = "\n\n".join(["Nothing of interest. " * 30] * 20 + ["The safe opens with 4711."])
    make_document(alice, "Long", text)
    told = shown(alice, "what opens the safe")["Long"]
    assert told.snippet.endswith("The safe opens with 4711.")
    assert "<mark>safe</mark>" in told.snippet_html


# --- Whose ---


@pytest.mark.usefixtures("shelf")
def test_nobody_finds_what_is_anothers(alice: User, bob: User, stranger: User) -> None:
    assert titles(bob, "lisbon") == ["Travel of Bob"]
    assert titles(stranger, "lisbon") == []
    theirs = make_document(bob, "Harbour", "at the harbour")
    share_with(bob, theirs, alice)
    assert titles(alice, "harbour") == ["Travel plan"]  # what is shared is read, not searched
    assert titles(alice, str(theirs.pk)) == []


def test_an_entry_that_lies_in_a_wrong_scope_shows_nothing(alice: User, bob: User) -> None:
    """The index proposes; what is whose, the documents say."""
    document = make_document(alice, "Platypus", "lays eggs")
    make_document(bob, "Other", "text")
    scope = SearchScope.objects.get(holder_id=alice.pk)
    SearchScope.objects.filter(holder_id=bob.pk).delete()
    SearchScope.objects.filter(pk=scope.pk).update(holder_id=bob.pk)
    assert titles(bob, "platypus eggs") == []
    assert find_hits(bob, "platypus eggs").hits == {}
    assert titles(alice, "platypus") == ["Platypus"]  # literally
    assert document.owner_id == alice.pk


# --- Kept in step ---


def entries() -> QuerySet[SearchEntry]:
    return SearchEntry.objects.filter(scope__kind=KIND)


def hits(user: User, q: str) -> list[uuid.UUID]:
    return list(find_hits(user, q).hits)


def test_each_change_is_found_at_once(alice: User) -> None:
    document = make_document(alice, "Notes", "about zebras")
    assert hits(alice, "zebra") == [document.pk]
    services.update_document(person(alice), document.pk, content="about lions")
    assert (hits(alice, "zebra"), hits(alice, "lion")) == ([], [document.pk])
    services.restore_version(person(alice), document.pk, 1)
    assert (hits(alice, "zebra"), hits(alice, "lion")) == ([document.pk], [])
    services.delete_document(person(alice), document.pk)
    assert hits(alice, "zebra") == []
    assert not entries().exists()
    services.restore_document(person(alice), document.pk)
    assert hits(alice, "zebra") == [document.pk]


def test_a_change_of_one_passage_leaves_the_others_as_they_are(alice: User) -> None:
    text = "\n\n".join(f"# Part {n}\n\n" + f"word{n} " * 120 for n in range(5))
    document = make_document(alice, "Long", text)
    before = dict(entries().values_list("part", "words"))
    changed = text.replace("word3 ", "other ", 1)
    services.update_document(person(alice), document.pk, content=changed)
    after = dict(entries().values_list("part", "words"))
    assert {part for part in before if before[part] != after[part]} == {4}


def test_the_index_is_made_anew_as_it_was(alice: User, bob: User) -> None:
    for owner in (alice, bob):
        make_document(owner, "Notes", "about zebras " * 200)
    make_deleted(alice, "Gone")
    facts = ("item_id", "part", "words", "start", "end")
    before = sorted(entries().values_list(*facts))
    entries().delete()
    rebuild_some(KIND, None)
    assert sorted(entries().values_list(*facts)) == before


def test_it_goes_with_the_person(alice: User, bob: User) -> None:
    make_document(alice, "Notes", "about zebras")
    make_document(bob, "Notes", "about zebras")
    alice.delete()
    assert set(SearchScope.objects.values_list("holder_id", flat=True)) == {bob.pk}
    assert entries().filter(scope__holder_id=bob.pk).exists()


def test_a_summary_of_ones_own_is_read_too(alice: User) -> None:
    document = make_document(alice, "Notes", "text", summary="The zebra question")
    made = make_document(alice, "Others", "text of the beginning")
    assert hits(alice, "zebra") == [document.pk]
    assert [part.text for part in item_of(made).parts] == ["", "text of the beginning"]


# --- Why ---


@pytest.mark.usefixtures("shelf")
def test_it_says_why(alice: User) -> None:
    told = shown(alice, "flights to Lisbon")["Travel plan"]
    assert told.why.words == ("Lisbon",)
    assert (told.why.meaning, told.why.by_meaning) == (None, False)
    literally = shown(alice, "user_by")["Deployment"]
    assert literally.why.words == ("user_by",)
    assert "<mark>" in literally.snippet_html


def test_it_finds_by_meaning_and_says_so(alice: User) -> None:
    with use_embedder(FakeEmbedder(same={"automobil": "car"})) as embedder:
        document = make_document(alice, "Garage", "car")
        make_document(alice, "Kitchen", "bread and olives")
        embed_item(KIND, document.pk, embedder)
        told = shown(alice, "automobile")["Garage"]
    assert told.why.by_meaning
    assert told.why.words == ()
    assert told.why.meaning is not None
    assert told.why.meaning >= FakeEmbedder.least_cosine


def test_what_is_marked_is_escaped(alice: User) -> None:
    text = "<b>bold</b> & <script>alert('zebra')</script>"
    make_document(alice, "<i>zebra</i>", f"`{text}`")
    [told] = shown(alice, "zebra <script>").values()
    assert told.title_html == "&lt;i&gt;<mark>zebra</mark>&lt;/i&gt;"
    assert "<script" not in told.snippet_html.replace("<mark>", "").replace("</mark>", "")
    assert "<b>" not in told.snippet_html


@pytest.mark.parametrize(
    ("q", "text", "marked"),
    [
        ("likes", "She liked it, I like it", "She <mark>liked</mark> it, I <mark>like</mark> it"),
        ("现金流", "讨论了现金流和金", "讨论了<mark>现金流</mark>和金"),
        ("a.c", "abc a.c", "abc <mark>a.c</mark>"),
        ("part", "departed", "de<mark>part</mark>ed"),
        ("", "text", "text"),
    ],
)
def test_it_marks(q: str, text: str, marked: str) -> None:
    assert Marker(q).html(text) == marked


# --- Did you mean ---


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("q", "meant"),
    [
        ("travle plan", "Travel plan"),
        ("deploymnet", "Deployment"),
        ("Travel plan", ""),
        ("zzzz", ""),
        ("经营分析会记要", "经营分析会纪要"),
    ],
)
def test_it_suggests_words_of_ones_own(alice: User, q: str, meant: str) -> None:
    assert suggest(alice, q).casefold() == meant.casefold()


@pytest.mark.usefixtures("shelf")
def test_it_suggests_nothing_of_somebody_elses(stranger: User) -> None:
    assert suggest(stranger, "travle plan") == ""


# --- Edges ---


@pytest.fixture
def bare(alice: User) -> Document:
    """As of before there was an index."""
    document = make_document(alice, "Notes", "about zebras")
    SearchScope.objects.all().delete()
    return document


def test_without_an_index_it_finds_literally(alice: User, bare: Document) -> None:
    assert titles(alice, "zebra") == [bare.title]
    assert titles(alice, "zebras note") == [bare.title]


@pytest.mark.parametrize("q", ["x" * 501, "\x00", "a\ud800"])
def test_it_refuses_what_no_search_is(alice: User, q: str) -> None:
    with pytest.raises(InvalidInput):
        list_documents(alice, q=q)


def test_pages_of_a_search_hold_each_document_once(alice: User) -> None:
    rows: list[Any] = [make_document(alice, f"D{n}", "zebra " * (n % 7 + 1)) for n in range(23)]
    found = search_documents(alice, "zebra")
    pages = [document.pk for at in range(0, 25, 5) for document in found[at : at + 5]]
    assert found.count() == 23
    assert sorted(pages) == sorted(row.pk for row in rows)
