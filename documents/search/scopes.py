"""The scopes of what is searched: one kind of things of one holder each."""

from collections.abc import Sequence
from uuid import UUID

from documents.models import SearchScope
from documents.search.words import Scope


def find_scopes(kind: str, holders: Sequence[UUID]) -> list[Scope]:
    """Those in which something was ever indexed."""
    rows = SearchScope.objects.filter(kind=kind, holder_id__in=holders).order_by("pk")
    return [Scope(id_, bytes(salt)) for id_, salt in rows.values_list("pk", "salt")]


def find_or_make_scope(kind: str, holder_id: UUID) -> Scope:
    row, _created = SearchScope.objects.get_or_create(kind=kind, holder_id=holder_id)
    return Scope(row.pk, bytes(row.salt))
