"""The scopes of what is searched: one kind of things of one holder each."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import QuerySet

from documents.models import SearchScope
from documents.search.words import Scope


def find_scopes(kind: str, holders: Sequence[UUID]) -> list[Scope]:
    """Those in which something was ever indexed."""
    rows = SearchScope.objects.filter(kind=kind, holder_id__in=holders).order_by("pk")
    return [Scope(id_, bytes(salt)) for id_, salt in rows.values_list("pk", "salt")]


def lock_scope(kind: str, holder_id: UUID) -> Scope:
    """For the transaction, made if there is none: whoever changes entries has their scope first."""
    scopes = SearchScope.objects.select_for_update(no_key=True)
    row, _created = scopes.get_or_create(kind=kind, holder_id=holder_id)
    return Scope(row.pk, bytes(row.salt))


def lock_holders(kind: str, holders: Collection[UUID]) -> None:
    """Before things of several are changed in one transaction, once their rows are locked."""
    lock_scopes(SearchScope.objects.filter(kind=kind, holder_id__in=holders))


def lock_scopes(scopes: QuerySet[SearchScope]) -> None:
    """For the transaction, in one order."""
    chosen = SearchScope.objects.filter(pk__in=scopes.values("pk"))
    list(chosen.select_for_update(no_key=True).order_by("pk").values_list("pk"))
