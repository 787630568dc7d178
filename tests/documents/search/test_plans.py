"""A search reads by its indexes, and asks as often for much as for little."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import Count, Max, Q, Sum

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search.index import put_entries
from documents.search.stores import postgres
from documents.search.testing import FakeEmbedder, Shelf
from documents.search.words import Scope
from jobs.testing import run_due_jobs
from tests.documents.search.making import find, make_item
from tests.plans import analyze, assert_uses_index

pytestmark = [pytest.mark.django_db, pytest.mark.both]

MANY = 3_000


@pytest.fixture
def crowd(db: None) -> SearchScope:
    """Thirty holders, each with a hundred things in ten sessions and a vector of each."""
    scopes = SearchScope.objects.bulk_create(
        SearchScope(kind="test", holder_id=uuid4()) for _ in range(30)
    )
    words = {scope.pk: Scope(scope.pk, bytes(scope.salt)) for scope in scopes}
    entries = SearchEntry.objects.bulk_create(
        SearchEntry(
            scope=scopes[n % 30],
            item_id=uuid4(),
            words=" ".join(words[scopes[n % 30].pk].words_of(f"kite number {n}")),
            length=3,
            place=1_000 * (n % 300) + n // 300,
            happened_at="2023-05-08T12:00Z",
        )
        for n in range(MANY)
    )
    SearchVector.objects.bulk_create(
        SearchVector(entry=one, scope_id=one.scope_id, model="fake", revision=n, vector=b"\0" * 64)
        for n, one in enumerate(entries)
    )
    analyze(SearchScope, SearchEntry, SearchVector)
    return scopes[7]


def test_words_are_found_by_the_word_index(crowd: SearchScope) -> None:
    word = Scope(crowd.pk, bytes(crowd.salt)).word("kite")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                f"EXPLAIN SELECT id FROM {SearchEntry._meta.db_table}"
                f" WHERE {postgres._VECTOR} @@ %s::tsquery",
                [word],
            )
        else:
            cursor.execute(
                "EXPLAIN QUERY PLAN SELECT rowid FROM documents_searchwords"
                " WHERE documents_searchwords MATCH %s",
                [word],
            )
        plan = "\n".join(str(row) for row in cursor.fetchall())
    wanted = "documents_search_words" if connection.vendor == "postgresql" else "INDEX 0:M"
    assert wanted in plan, plan


def test_lengths_are_counted_by_their_index(crowd: SearchScope) -> None:
    mine = SearchEntry.objects.filter(scope=crowd)
    assert_uses_index(mine.values("scope").annotate(Count("pk"), Sum("length")), "lengths")


def test_neighbours_are_found_by_theirs(crowd: SearchScope) -> None:
    places = [1_000 * session + position for session in (7, 37) for position in (1, 3)]
    condition = Q(scope=crowd, place__in=places)
    rows = SearchEntry.objects.filter(condition, scope__in=[crowd.pk])
    assert rows.count() == 4
    assert_uses_index(rows, "neighbours")


def test_vectors_are_counted_and_read_by_theirs(crowd: SearchScope) -> None:
    vectors = SearchVector.objects.filter(scope_id=crowd.pk, model="fake")
    assert_uses_index(
        vectors.values("scope").annotate(Count("pk"), Max("revision")), "search_vector_newest"
    )
    assert_uses_index(vectors.filter(revision__gt=MANY - 40), "search_vector_newest")


def test_an_item_is_found_by_its_key(crowd: SearchScope) -> None:
    known = SearchEntry.objects.first()
    assert known is not None
    assert_uses_index(SearchEntry.objects.filter(item_id=known.item_id))


def put_talk(shelf: Shelf, holder: UUID, count: int) -> None:
    session = uuid4()
    for position in range(count):
        item = make_item(holder, f"a kite {position}", session_id=session, position=position)
        shelf.kept[item.id] = item
        put_entries(item)


@pytest.mark.parametrize("count", [5, 60])
def test_a_search_by_words_asks_five_times(
    count: int, shelf: Shelf, holder: UUID, django_assert_num_queries: Any
) -> None:
    """Scopes, postings (SQLite: for each word), frequencies, entries, those beside them."""
    put_talk(shelf, holder, count)
    with django_assert_num_queries(5):
        assert find(holder, "kite")
    with django_assert_num_queries(6 if connection.vendor == "sqlite" else 5):
        assert find(holder, "Which kite is 3?")


def test_with_meaning_it_asks_twice_more_and_then_once(
    shelf: Shelf, holder: UUID, embedder: FakeEmbedder, django_assert_num_queries: Any
) -> None:
    shelf.put(make_item(holder, "a kite"))
    run_due_jobs()
    with django_assert_num_queries(6):
        assert find(holder, "kite")
    with django_assert_num_queries(5):
        assert find(holder, "kite")
