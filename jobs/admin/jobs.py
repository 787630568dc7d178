"""Jobs: what became of each, when it goes on, who holds it, why its attempts failed."""

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from config.base.admin_base import MAX_SEARCH_WORDS, Label, row_link, short_span, short_time
from config.base.admin_paging import LogPaginator
from config.base.models import User
from jobs.admin.acts import CANCEL, RETRY, RUN_NOW, act_on_all, act_page, fitting
from jobs.admin.attempts import attempt_rows
from jobs.admin.content import ContentAdmin
from jobs.admin.filters import JOB_FILTERS
from jobs.admin.kinds import kinds_page
from jobs.admin.shown import RESTING, STATUS_COLOURS, audit_link, kind_rests, resting_words
from jobs.enums import WAITING
from jobs.models import Job
from jobs.reasons import explain
from jobs.registry import list_kinds

_CHANGE = "jobs.change_job"
_ACTS = {"cancel": CANCEL, "retry": RETRY, "run_now": RUN_NOW}


def matching(term: str) -> Q:
    """Ids match whole: of a job, a series or an owner; a name is an owner's, or part of a kind's.

    Owners are looked up first: the index is by id.
    """
    try:
        row_id = UUID(term)
    except ValueError:
        owners = list(User.objects.filter(username=term).values_list("pk", flat=True))
        kinds = [kind for kind in list_kinds() if term in kind]
        return Q(owner__in=owners) | Q(kind__in=kinds) if kinds else Q(owner__in=owners)
    return Q(pk=row_id) | Q(series=row_id) | Q(owner=row_id)


@admin.register(Job)
class JobAdmin(ContentAdmin):
    content = ("payload", "result")
    list_display = ["when", "situation", "kind", "owner", "due", "ended", "tries"]
    list_display += ["held", "last_error_code"]
    list_display_links = ["when", "kind"]
    list_filter = JOB_FILTERS
    list_filter_submit = True
    list_select_related = ()  # joined, SQLite may sort all jobs for a page
    show_facets = admin.ShowFacets.NEVER  # each would be counted
    sortable_by = ()  # only this order has an index behind every filter
    ordering = ["-created_at", "-pk"]
    paginator = LogPaginator
    search_fields = ["pk"]  # shows the box; `get_search_results` decides
    search_help_text = _("Id of a job, a series or an owner; name of an owner; a kind")
    actions = ["cancel_all", "retry_all", "run_all_now"]
    actions_list = ("kinds",)  # type: ignore[assignment]  # unfold says: none
    actions_detail = ("cancel", "retry", "run_now")  # type: ignore[assignment]  # as above
    fieldsets = [
        (None, {"fields": ["kind", "situation", "owner", "from_series", "priority"]}),
        (_("Outcome"), {"fields": ["result_block", "last_error_code", "reason"]}),
        (_("Times"), {"fields": ["scheduled_at", "next_attempt_at", "began", "finished_at"]}),
        (_("Attempts"), {"fields": ["tries", "attempt_table"]}),
        (_("Content"), {"fields": ["payload_block"]}),
        (_("Lease"), {"fields": ["held", "lease_expires_at", "revision"]}),
        (
            _("Keys"),
            {"fields": ["id", "handler_version", "idempotency_key", "created_at", "events"]},
        ),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Job]:
        """With what is left of its lease, by the database's clock."""
        rows: QuerySet[Job] = super().get_queryset(request).prefetch_related("owner", "series")
        left = ExpressionWrapper(F("lease_expires_at") - Now(), output_field=DurationField())
        return rows.annotate(lease_left=left, kind_rests=kind_rests())

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        for term in search_term.split()[:MAX_SEARCH_WORDS]:
            queryset = queryset.filter(matching(term.replace("\0", "")))
        return queryset, False

    # --- Columns and fields ---

    @admin.display(description=_("created"))
    def when(self, job: Job) -> Any:
        return short_time(job.created_at)

    @display(description=_("status"), label=STATUS_COLOURS)
    def situation(self, job: Any) -> Label:
        if job.kind_rests and job.status in WAITING:
            return Label(RESTING, resting_words())
        return Label(job.status, job.get_status_display())

    @admin.display(description=_("scheduled or next attempt"))
    def due(self, job: Job) -> Any:
        return "–" if job.is_finished else short_time(job.next_attempt_at or job.scheduled_at)

    @admin.display(description=_("finished"))
    def ended(self, job: Job) -> Any:
        return short_time(job.finished_at) if job.finished_at else "–"

    @admin.display(description=_("started"))
    def began(self, job: Job) -> Any:
        """The latest attempt: the column is null while the job waits for the next, or was then
        cancelled."""
        last = job.attempt_rows.order_by("-number").first()
        return job.started_at or (last.started_at if last else None)

    @admin.display(description=_("attempts"))
    def tries(self, job: Job) -> str:
        return f"{job.attempts} / {job.max_attempts}"

    @admin.display(description=_("held by"))
    def held(self, job: Any) -> Any:
        if not job.lease_owner:
            return "–"
        left = job.lease_left
        words = (
            _("%(time)s left") % {"time": short_span(left)}
            if left.total_seconds() > 0
            else _("lost")
        )
        line = '<span class="gh-time">{} · {}</span>'
        return format_html(line, job.lease_owner, words)

    @admin.display(description=_("series"))
    def from_series(self, job: Job) -> Any:
        return row_link("jobseries", job.series_id, str(job.series or ""))

    @admin.display(description=_("attempts"))
    def attempt_table(self, job: Job) -> Any:
        rows = attempt_rows(job)
        if not rows:
            return _("It was never started.") if job.is_finished else _("It has not started yet.")
        return mark_safe(render_to_string("admin/jobs/attempts.html", {"rows": rows}))  # noqa: S308  (our template)

    @admin.display(description=_("error"))
    def reason(self, job: Job) -> str:
        return explain(job.last_error_code, job.last_error_message) or "–"

    @admin.display(description=_("payload"))
    def payload_block(self, job: Job) -> Any:
        return self.block(job, "payload")

    @admin.display(description=_("result"))
    def result_block(self, job: Job) -> Any:
        return self.block(job, "result")

    @admin.display(description=_("audit events"))
    def events(self, job: Job) -> Any:
        return audit_link(job)

    # --- What an operator decides ---

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Those that fit what the job is at the moment."""
        offered = super().get_actions_detail(request, object_id)
        return fitting(self, offered, self.get_object(request, object_id), _ACTS)

    def has_act_permission(self, request: HttpRequest, _key: Any = None) -> bool:
        return bool(request.user.has_perm(_CHANGE))

    @action(description=CANCEL.title, icon=CANCEL.icon, permissions=["act"])
    def cancel(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return act_page(self, request, object_id, CANCEL)

    @action(description=RETRY.title, icon=RETRY.icon, permissions=["act"])
    def retry(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return act_page(self, request, object_id, RETRY)

    @action(description=RUN_NOW.title, icon=RUN_NOW.icon, url_path="run-now", permissions=["act"])
    def run_now(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return act_page(self, request, object_id, RUN_NOW)

    @admin.action(description=_("Cancel the selected jobs"), permissions=["act"])
    def cancel_all(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        act_on_all(request, queryset, CANCEL)

    @admin.action(description=_("Try the selected jobs again"), permissions=["act"])
    def retry_all(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        act_on_all(request, queryset, RETRY)

    @admin.action(description=_("Run the selected jobs now"), permissions=["act"])
    def run_all_now(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        act_on_all(request, queryset, RUN_NOW)

    @action(description=_("Kinds"), url_path="kinds", icon="category", permissions=["view"])
    def kinds(self, request: HttpRequest) -> HttpResponse:
        return kinds_page(self, request)
