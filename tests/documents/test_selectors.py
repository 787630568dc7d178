"""Reading: only what is yours, found by words, in a total order."""

import uuid
from typing import Any

import pytest
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from config.base.errors import InvalidInput, NotFound
from config.base.models import User
from documents import selectors, services
from documents.models import Document, DocumentQuerySet
from tests.documents.factories import make_document, person

pytestmark = [pytest.mark.django_db, pytest.mark.both]


def titles(documents: DocumentQuerySet) -> list[str]:
    return [document.title for document in documents]


@pytest.fixture
def shelf(alice: User, bob: User) -> None:
    make_document(alice, "Apples", "red fruit", tags=["Food", "team"])
    make_document(alice, "Pears", "a fruit like Apples", type="memory", tags=["food"])
    make_document(alice, "周报", "本周完成了苹果", tags=["工作"])
    make_document(bob, "Apples of Bob", "red fruit", tags=["food"])


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, ["周报", "Pears", "Apples"]),
        ({"type": "memory"}, ["Pears"]),
        ({"q": "APPLES"}, ["Pears", "Apples"]),
        ({"q": "fruit red"}, ["Apples"]),
        ({"q": "苹果"}, ["周报"]),
        ({"q": "team"}, ["Apples"]),
        ({"q": "100%"}, []),
        ({"q": "r_d"}, []),
        ({"q": "  "}, ["周报", "Pears", "Apples"]),
        ({"tag": "FOOD"}, ["Pears", "Apples"]),
        ({"tag": "foo"}, []),
        ({"tag": "工作"}, ["周报"]),
        ({"tag": "food", "q": "red", "type": "document"}, ["Apples"]),
        ({"ordering": "created_at"}, ["Apples", "Pears", "周报"]),
        ({"ordering": "title", "tag": "food"}, ["Apples", "Pears"]),
    ],
)
def test_it_lists_what_matches(alice: User, wanted: dict[str, Any], found: list[str]) -> None:
    assert titles(selectors.list_documents(alice, **wanted)) == found


@pytest.mark.usefixtures("shelf")
def test_a_stranger_finds_nothing(stranger: User) -> None:
    assert not selectors.list_documents(stranger)
    assert not selectors.search_documents(stranger, "apples")
    assert set(selectors.count_by_type(stranger).values()) == {0}
    assert selectors.count_tags(stranger, type="document", limit=9) == []


@pytest.mark.usefixtures("shelf")
def test_the_best_match_comes_first(alice: User) -> None:
    make_document(alice, "Of apples and more", "x")
    make_document(alice, "Cake", "x", summary="with apples")
    assert titles(selectors.search_documents(alice, "apples")) == [
        "Apples",
        "Of apples and more",
        "Cake",
        "Pears",
    ]


@pytest.mark.usefixtures("shelf")
def test_it_counts_every_type_in_a_query_each_and_a_search_once(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(2):
        assert selectors.count_by_type(alice) == {"memory": 1, "document": 2}
    with django_assert_num_queries(8):  # what the index answers takes seven
        assert selectors.count_by_type(alice, q="team") == {"memory": 0, "document": 1}


@pytest.mark.usefixtures("shelf")
def test_it_counts_tags(alice: User) -> None:
    assert selectors.count_tags(alice, type="document", limit=1) == [("工作", 1)]


def test_a_list_brings_no_contents(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    make_document(alice, content="字" * 30)
    with django_assert_num_queries(1):
        [document] = selectors.list_documents(alice)
        assert document.content_length == 30  # type: ignore[attr-defined]  # annotated
    assert "content" in document.get_deferred_fields()


@pytest.mark.parametrize(
    "wanted", [{"ordering": "content"}, {"ordering": "--title"}, {"type": "page"}, {"q": "\x00"}]
)
def test_it_refuses_what_makes_no_sense(alice: User, wanted: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        list(selectors.list_documents(alice, **wanted))


@pytest.mark.parametrize("key", ["not-a-uuid", "", str(uuid.UUID(int=1))])
def test_a_missing_document_is_not_found(alice: User, key: str) -> None:
    assert selectors.find_document(alice, key) is None
    with pytest.raises(NotFound):
        selectors.get_document(alice, key)


def test_somebody_elses_document_is_not_found(alice: User, operator: User) -> None:
    document = make_document(alice)
    assert selectors.find_document(operator, document.pk) is None
    assert selectors.find_document(alice, str(document.pk)) == document


def test_titles_are_sorted_as_people_read_them(alice: User) -> None:
    for title in ("beta", "Alpha", "Gamma", "alpha"):
        make_document(alice, title)
    found = titles(selectors.list_documents(alice, ordering="title"))
    assert [title.lower() for title in found] == ["alpha", "alpha", "beta", "gamma"]


def test_tags_are_counted_whatever_their_case(alice: User) -> None:
    for tags in ("Team, a", "team", "b"):
        make_document(alice, tags=tags)
    assert selectors.count_tags(alice, type="document", limit=2) == [("team", 2), ("b", 1)]


def test_it_knows_that_a_document_was_deleted(alice: User, bob: User) -> None:
    document = make_document(alice)
    assert not selectors.was_deleted(alice, document.pk)
    services.delete_document(person(alice), document.pk)
    assert selectors.was_deleted(alice, document.pk)
    assert not selectors.was_deleted(bob, document.pk)


@pytest.mark.parametrize(
    ("wanted", "index"),
    [
        ({}, "document_updated"),
        ({"type": "memory"}, "document_type"),
        ({"type": "document", "ordering": "title"}, "document_title"),
        ({"type": "document", "ordering": "-title"}, "document_title"),
        ({"type": "document", "ordering": "-created_at"}, "document_created"),
    ],
)
def test_lists_are_read_from_an_index(alice: User, wanted: dict[str, Any], index: str) -> None:
    """With enough rows for a planner to care, and fresh statistics."""
    rows = [
        Document(owner=alice, type="document", title=f"t{n}", content="c") for n in range(2_000)
    ]
    Document.objects.bulk_create(rows)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE documents_document")
    documents = selectors.list_documents(alice, **wanted)[:20]
    assert index in documents.explain()
