"""The index made anew from its sources, and held against them, a batch at a time."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from documents.models import SearchEntry, SearchScope
from documents.search.index import differs, drop_item, make_entries, put_entries
from documents.search.items import Item
from documents.search.scopes import find_scopes, lock_scope, lock_scopes
from documents.search.sources import get_source, known_kinds
from documents.search.words import Scope

AT_ONCE = 20  # items: one may have thousands of parts
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

    What lies in between in the index and is no longer to be found is taken out. Only what differs
    is written, each in a transaction of its own. Vectors that are missing then are made by the job
    that comes for them, not by one for each item.
    """
    ids = _next_ids(kind, after)
    known, differing = _compare(kind, ids, Differences())
    for item_id in differing:
        _put_right(kind, item_id)
    return _last(ids), known


def compare_some(kind: str, after: UUID | None, found: Differences) -> UUID | None:
    """What `rebuild_some` would change, added to what was found; the last item, None at the end."""
    ids = _next_ids(kind, after)
    _compare(kind, ids, found)
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


def _compare(kind: str, ids: list[UUID], found: Differences) -> tuple[int, list[UUID]]:
    """How many of them are to be found, and of which the entries differ."""
    entries = SearchEntry.objects.filter(item_id__in=ids, scope__kind=kind)
    standing = {(entry.scope_id, entry.item_id, entry.part): entry for entry in entries}
    count, differing = 0, set[UUID]()
    for item in get_source(kind).items(ids):
        count += 1
        for wanted in _wanted(item):
            known = standing.pop((wanted.scope_id, item.id, wanted.part), None)
            found.missing += known is None
            found.stale += known is not None and differs(known, wanted)
            if known is None or differs(known, wanted):
                differing.add(item.id)
    found.surplus += len(standing)
    return count, sorted(differing | {item_id for _scope, item_id, _part in standing})


def _wanted(item: Item) -> list[SearchEntry]:
    scopes = find_scopes(item.kind, [item.holder_id]) or [_NO_SCOPE]
    return make_entries(scopes[0], item)


@transaction.atomic
def _put_right(kind: str, item_id: UUID) -> None:
    """Locked before it is read: who changes it meanwhile writes its entries after us."""
    for item in get_source(kind).items([item_id]):
        lock_scope(kind, item.holder_id)
    lock_scopes(SearchScope.objects.filter(kind=kind, entries__item_id=item_id))
    items = list(get_source(kind).items([item_id]))
    for item in items:
        put_entries(item)
    if not items:
        drop_item(kind, item_id)
