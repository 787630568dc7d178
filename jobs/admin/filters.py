"""By what an operator finds a job."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.admin_filters import SelectFilter, TextFilter, TimeFilter, select, times
from config.base.models import User
from jobs.enums import JobStatus
from jobs.models import JobSeries
from jobs.registry import list_kinds
from jobs.selectors import with_status

PRODUCT = "-"  # no user's name


class StatusFilter(SelectFilter):
    title = _("status")
    parameter_name = "status"

    def options(self) -> Iterable[tuple[str, Any]]:
        return JobStatus.choices

    def narrow(self, value: str) -> Q:
        return with_status(JobStatus(value))


class SeriesFilter(SelectFilter):
    title = _("series")
    parameter_name = "series"
    offered_at_most = 200

    def options(self) -> Iterable[tuple[str, Any]]:
        newest = JobSeries.objects.order_by("-created_at")[: self.offered_at_most]
        return [(str(series.pk), str(series)) for series in newest]

    def narrow(self, value: str) -> Q:
        return Q(series=UUID(value))


class OwnerFilter(TextFilter):
    title = _("owner (“-”: the product)")
    parameter_name = "owner"

    def narrow(self, value: str) -> Q:
        """Looked up first: the index is by id."""
        if value == PRODUCT:
            return Q(owner__isnull=True)
        return Q(owner__in=list(User.objects.filter(username=value).values_list("pk", flat=True)))


class ErrorFilter(TextFilter):
    title = _("error code")
    parameter_name = "error"

    def narrow(self, value: str) -> Q:
        return Q(last_error_code=value)


class EndedFilter(TimeFilter):
    title = _("ended since")
    parameter_name = "ended_since"
    lookup = "finished_at__gte"


JOB_FILTERS: list[Any] = [
    *times("created_at", _("from"), _("before")),
    StatusFilter,
    select("kind", _("kind"), lambda: [(kind, kind) for kind in list_kinds()], "kind"),
    SeriesFilter,
    OwnerFilter,
    ErrorFilter,
    EndedFilter,
]
