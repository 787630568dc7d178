"""Keeping the index in step: called in the transaction that changes what can be found."""

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db import transaction

from documents.models import SearchEntry, SearchScope, SearchVector
from documents.search.embedding import embed_later
from documents.search.items import Item, Part
from documents.search.scopes import lock_scope, lock_scopes
from documents.search.words import Scope

_FIELDS = [
    *("words", "length", "subject", "place", "importance", "happened_at", "start", "end"),
]
_AT_ONCE = 200
_DROPPED_AT_ONCE = 50  # their words are taken out of the index one by one


def put_item(item: Item) -> None:
    """Twice is once. What reads as before keeps its vector."""
    if put_entries(item):
        embed_later(item.kind, item.id)


@transaction.atomic(savepoint=False)
def put_entries(item: Item) -> bool:
    """The words alone; whether anything is left to be embedded."""
    scope = lock_scope(item.kind, item.holder_id)
    found = list(SearchEntry.objects.filter(item_id=item.id, scope__kind=item.kind))
    made = make_entries(scope, item)
    known = {entry.part: entry for entry in found if entry.scope_id == scope.id}
    _drop(entry for entry in found if entry.scope_id != scope.id)  # it had another holder
    _drop(entry for part, entry in known.items() if part >= len(made))
    fresh = [entry for entry in made if entry.part not in known]
    SearchEntry.objects.bulk_create(fresh, batch_size=_AT_ONCE)
    reworded = [entry.pk for entry in made if _take_over(entry, known)]
    if reworded:
        SearchVector.objects.filter(entry__in=reworded).delete()
    return bool(fresh or reworded)


@transaction.atomic(savepoint=False)
def put_parts(item: Item, first: int) -> None:
    """A stretch of a long item, from part `first` on, in a transaction of its own.

    All of it in one would keep other writers waiting. The parts must not be there yet, and the
    item says its session itself; that `embed_later` follows the last one is the caller's affair.
    """
    scope = lock_scope(item.kind, item.holder_id)
    SearchEntry.objects.bulk_create(make_entries(scope, item, first), batch_size=_AT_ONCE)


@transaction.atomic(savepoint=False)
def drop_some(kind: str, *, item_id: UUID | None = None, holder_id: UUID | None = None) -> int:
    """A batch of what is there of a long item, or of a holder; how many went."""
    scopes = SearchScope.objects.filter(kind=kind)
    entries = SearchEntry.objects.filter(scope__kind=kind)
    if item_id is not None:
        entries = entries.filter(item_id=item_id)
        scopes = scopes.filter(entries__item_id=item_id)
    if holder_id is not None:
        entries = entries.filter(scope__holder_id=holder_id)
        scopes = scopes.filter(holder_id=holder_id)
    lock_scopes(scopes)
    some = list(entries.order_by().values_list("pk", flat=True)[:_DROPPED_AT_ONCE])
    SearchEntry.objects.filter(pk__in=some).delete()
    return len(some)


def has_more_than(count: int, kind: str, holder_id: UUID) -> bool:
    entries = SearchEntry.objects.filter(scope__kind=kind, scope__holder_id=holder_id)
    return entries.order_by().values("pk")[count : count + 1].exists()


def drop_item(kind: str, item_id: UUID) -> None:
    drop_items(kind, [item_id])


@transaction.atomic(savepoint=False)
def drop_items(kind: str, ids: Collection[UUID]) -> None:
    lock_scopes(SearchScope.objects.filter(kind=kind, entries__item_id__in=ids))
    SearchEntry.objects.filter(item_id__in=ids, scope__kind=kind).delete()


def drop_holder(kind: str, holder_id: UUID) -> None:
    """Its salt goes with it: what a backup of the index holds of it can't be guessed any more."""
    SearchScope.objects.filter(kind=kind, holder_id=holder_id).delete()


def make_entries(scope: Scope, item: Item, first: int = 0) -> list[SearchEntry]:
    return [_make_entry(scope, item, number, part) for number, part in enumerate(item.parts, first)]


def _make_entry(scope: Scope, item: Item, number: int, part: Part) -> SearchEntry:
    words = scope.words_of(item.text_of(part))
    return SearchEntry(
        scope_id=scope.id,
        item_id=item.id,
        part=number,
        words=" ".join(words),
        length=len(words),
        subject=" ".join(scope.words_of(item.subject)),
        place=item.place_of(number),
        importance=item.importance,
        happened_at=item.happened_at,
        start=part.start,
        end=part.end,
    )


def _drop(entries: Iterable[SearchEntry]) -> None:
    ids = [entry.pk for entry in entries]
    if ids:
        SearchEntry.objects.filter(pk__in=ids).delete()


def _take_over(new: SearchEntry, known: dict[int, SearchEntry]) -> bool:
    """Write what differs onto the entry that is there; whether its words do."""
    old = known.get(new.part)
    if old is None:
        return False
    new.pk = old.pk
    if differs(old, new):
        new.save(update_fields=_FIELDS)
    return old.words != new.words


def differs(old: SearchEntry, new: SearchEntry) -> bool:
    return any(getattr(old, name) != getattr(new, name) for name in _FIELDS)
