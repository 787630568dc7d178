"""The index made anew from its sources, a batch at a time."""

from uuid import UUID

from django.db.models import Max

from documents.models import SearchEntry
from documents.search.index import drop_items, put_item
from documents.search.sources import get_source

AT_ONCE = 100


def rebuild_some(kind: str, after: UUID | None) -> tuple[UUID | None, int]:
    """The next items in the order of their ids: the last of them, None at the end, and how many.

    What lies in between in the index and is no longer to be found is taken out.
    """
    ids = get_source(kind).ids_after(after, AT_ONCE)
    last = ids[-1] if len(ids) == AT_ONCE else None
    found = set()
    for item in get_source(kind).items(ids):
        put_item(item)
        found.add(item.id)
    _drop_others(kind, after, last, found)
    return last, len(found)


def _drop_others(kind: str, after: UUID | None, last: UUID | None, found: set[UUID]) -> None:
    entries = SearchEntry.objects.filter(scope__kind=kind)
    if after is not None:
        entries = entries.filter(item_id__gt=after)
    if last is not None:
        entries = entries.filter(item_id__lte=last)
    known = entries.values_list("item_id").annotate(Max("part")).values_list("item_id", flat=True)
    drop_items(kind, [id_ for id_ in known if id_ not in found])
