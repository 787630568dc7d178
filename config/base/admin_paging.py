"""Pages of logs: how many rows there are is counted up to a limit only."""

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.utils.functional import cached_property

COUNTED = 10_000


class LogPaginator(Paginator):  # type: ignore[type-arg]  # not generic at run time
    """Whoever looks further narrows the list instead: counting millions costs more than a page."""

    @cached_property
    def count(self) -> int:
        rows = self.object_list
        if not isinstance(rows, QuerySet):
            return super().count
        return rows.order_by()[:COUNTED].count()
