"""The index made anew from its sources, and held against them, a batch at a time."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from documents.models import SearchEntry, SearchScope
from documents.search.index import differs, drop_items, make_entries, put_entries
from documents.search.scopes import find_scopes, lock_scope, lock_scopes_of
from documents.search.sources import get_source, known_kinds
from documents.search.words import Scope

AT_ONCE = 100
_NO_SCOPE = Scope(0, b"")  # of who has nothing in the index


@dataclass(slots=True)
class Differences:
    """In entries."""

    missing: int = 0
    surplus: int = 0
    stale: int = 0

    def __bool__(self) -> bool:
        return bool(self.missing or self.surplus or self.stale)


def rebuild_some(kind: str, after: UUID | None) -> tuple[UUID | None, int]:
    """The next items in the order of their ids: the last of them, None at the end, and how many.

    What lies in between in the index and is no longer to be found is taken out. Vectors that are
    missing then are made by the job that comes for them, not by one for each item.
    """
    ids = _next_ids(kind, after)
    with transaction.atomic():
        _lock(kind, ids)
        items = {item.id: item for item in get_source(kind).items(ids)}
        for item in items.values():
            put_entries(item)
        drop_items(kind, [id_ for id_ in ids if id_ not in items])
    return _last(ids), len(items)


def compare_some(kind: str, after: UUID | None, found: Differences) -> UUID | None:
    """What `rebuild_some` would change, added to what was found; the last item, None at the end."""
    ids = _next_ids(kind, after)
    entries = SearchEntry.objects.filter(item_id__in=ids, scope__kind=kind)
    standing = {(entry.scope_id, entry.item_id, entry.part): entry for entry in entries}
    for item in get_source(kind).items(ids):
        for scope in find_scopes(kind, [item.holder_id]) or [_NO_SCOPE]:
            for entry in make_entries(scope, item):
                known = standing.pop((scope.id, item.id, entry.part), None)
                found.missing += known is None
                found.stale += known is not None and differs(known, entry)
    found.surplus += len(standing)
    return _last(ids)


def list_unknown_kinds() -> list[str]:
    """Of what stands in the index and nothing reads: a benchmark that was killed, an app left."""
    scopes = SearchScope.objects.exclude(kind__in=known_kinds())
    return sorted(set(scopes.values_list("kind", flat=True)))


def drop_unknown_kinds() -> None:
    SearchScope.objects.exclude(kind__in=known_kinds()).delete()


def _next_ids(kind: str, after: UUID | None) -> list[UUID]:
    """Of what is to be found and of what stands in the index."""
    standing = SearchEntry.objects.filter(scope__kind=kind)
    if after is not None:
        standing = standing.filter(item_id__gt=after)
    indexed = standing.order_by("item_id").values_list("item_id", flat=True).distinct()
    return sorted({*get_source(kind).ids_after(after, AT_ONCE), *indexed[:AT_ONCE]})[:AT_ONCE]


def _last(ids: list[UUID]) -> UUID | None:
    return ids[-1] if len(ids) == AT_ONCE else None


def _lock(kind: str, ids: Collection[UUID]) -> None:
    """Before they are read: who changes one of them meanwhile writes its entries after us."""
    holders = {item.holder_id for item in get_source(kind).items(list(ids))}
    for holder_id in sorted(holders):
        lock_scope(kind, holder_id)
    lock_scopes_of(kind, ids)
