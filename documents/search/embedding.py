"""Making the vectors that are missing: in jobs, long after the words, again for another model."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search.embedders import Embedder, EmbedderFailed, get_embedder
from documents.search.meaning import stored
from documents.search.sources import find_source
from documents.search.words import Scope
from jobs.services import enqueue

EMBED_KIND = "search.embed"
AT_ONCE = 16
_MOST_FAILURES = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unread:
    """An entry without a vector, and what stands in its part now."""

    entry: SearchEntry
    text: str


def embed_later(kind: str, item_id: UUID) -> None:
    """In the caller's transaction: a job for what it has just put into the index."""
    if get_embedder() is not None:
        enqueue(EMBED_KIND, {"kind": kind, "item": str(item_id)}, actor=None)


def embed_item(kind: str, item_id: UUID, embedder: Embedder) -> int:
    """How many vectors were made. Raises `EmbedderFailed`."""
    return _embed(_missing(embedder).filter(item_id=item_id, scope__kind=kind), embedder)


def embed_some(embedder: Embedder, after: int) -> tuple[int, int]:
    """Of the next entries without a vector: the last one looked at, 0 at the end, and how many.

    Raises `EmbedderFailed` when it can read none of them; one that it can't read is left out.
    """
    entries = list(_missing(embedder).filter(pk__gt=after)[:AT_ONCE])
    last = entries[-1].pk if entries else 0
    try:
        return last, _embed(entries, embedder)
    except EmbedderFailed:
        if len(entries) == 1:
            raise
        return last, _embed_singly(entries, embedder)


def _embed_singly(entries: Sequence[SearchEntry], embedder: Embedder) -> int:
    made, failed = 0, 0
    for entry in entries:
        try:
            made += _embed([entry], embedder)
        except EmbedderFailed as error:
            failed += 1
            log.warning("An entry can't be read into a vector: %s", error)
            if failed == _MOST_FAILURES and not made:
                raise  # it is not the text
    return made


def count_missing(embedder: Embedder) -> int:
    return _missing(embedder).count()


def _missing(embedder: Embedder) -> QuerySet[SearchEntry]:
    unread = Q(vector=None) | ~Q(vector__model=embedder.name)
    return SearchEntry.objects.filter(unread).select_related("scope").order_by("pk")


def _embed(entries: Sequence[SearchEntry] | QuerySet[SearchEntry], embedder: Embedder) -> int:
    made, batch = 0, []
    for unread in _read_again(list(entries)):
        batch.append(unread)
        if len(batch) == AT_ONCE:
            made += _embed_batch(batch, embedder)
            batch = []
    return made + (_embed_batch(batch, embedder) if batch else 0)


def _read_again(entries: list[SearchEntry]) -> Iterator[Unread]:
    """What has changed since is left out: a job of its own comes for it."""
    entries.sort(key=lambda entry: (entry.scope.kind, entry.scope_id, entry.item_id, entry.part))
    for kind, of_kind in groupby(entries, key=lambda entry: entry.scope.kind):
        found = list(of_kind)
        ids = list(dict.fromkeys(entry.item_id for entry in found))
        source = find_source(kind)  # None: of what is taken away, such as a benchmark's
        items = {item.id: item for item in source.items(ids)} if source else {}
        for entry in found:
            item = items.get(entry.item_id)
            if item is None or item.holder_id != entry.scope.holder_id:
                continue
            if entry.part >= len(item.parts):
                continue
            part = item.parts[entry.part]
            scope = Scope(entry.scope_id, bytes(entry.scope.salt))
            if " ".join(scope.words_of(item.text_of(part))) == entry.words:
                yield Unread(entry, item.meant_by(part))


def _embed_batch(batch: Sequence[Unread], embedder: Embedder) -> int:
    vectors = embedder.embed_passages([unread.text for unread in batch])
    made = 0
    pairs = list(zip(batch, vectors, strict=True))
    for _scope, of_scope in groupby(pairs, key=lambda pair: pair[0].entry.scope_id):
        rows = [(unread.entry, stored(vector)) for unread, vector in of_scope]
        made += _write(rows, embedder.name)
    return made


@transaction.atomic
def _write(rows: Sequence[tuple[SearchEntry, bytes]], model: str) -> int:
    """Of entries of one scope; those that were changed or dropped meanwhile are left out."""
    scope_id = rows[0][0].scope_id
    locked = SearchScope.objects.filter(pk=scope_id)
    if not locked.update(vectors_revision=F("vectors_revision") + 1):
        return 0  # the holder is gone
    revision = locked.values_list("vectors_revision", flat=True).get()
    ids = [entry.pk for entry, _vector in rows]
    now = dict(
        SearchEntry.objects.select_for_update()
        .filter(pk__in=ids)
        .order_by("pk")
        .values_list("pk", "words")
    )
    fresh = [
        SearchVector(
            entry_id=entry.pk, scope_id=scope_id, model=model, revision=revision, vector=vector
        )
        for entry, vector in rows
        if now.get(entry.pk) == entry.words
    ]
    SearchVector.objects.bulk_create(
        fresh,
        update_conflicts=True,
        unique_fields=["entry"],
        update_fields=["model", "revision", "vector"],
    )
    return len(fresh)
