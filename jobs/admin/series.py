"""Series: what recurs, when next in its own zone, and what was missed."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from config.base.admin_base import Label, short_time
from config.base.admin_filters import select
from jobs.admin.acts import END, PAUSE, RESUME, act_on_all, act_page, fitting
from jobs.admin.content import ContentAdmin
from jobs.admin.filters import OwnerFilter
from jobs.admin.shown import RESTING, audit_link, kind_rests, resting_words
from jobs.models import JobSeries
from jobs.recurrence import Slot
from jobs.registry import list_kinds
from jobs.selectors import list_missed, list_next_slots

_CHANGE = "jobs.change_jobseries"
_ACTS = {"pause": PAUSE, "resume": RESUME, "end": END}


@admin.register(JobSeries)
class JobSeriesAdmin(ContentAdmin):
    list_display = ["kind", "cron", "zone", "state", "owner", "missed_policy", "next_run"]
    list_filter = [
        select("kind", _("kind"), lambda: [(kind, kind) for kind in list_kinds()], "kind"),
        OwnerFilter,
    ]
    list_filter_submit = True
    list_select_related = ["owner"]
    show_facets = admin.ShowFacets.NEVER
    ordering = ["-created_at", "-pk"]
    search_fields = ["=id", "=kind", "=owner__username"]
    search_help_text = _("Id of a series; a kind; name of an owner")
    actions = ["pause_all", "resume_all", "end_all"]
    actions_detail = ("pause", "resume", "end")  # type: ignore[assignment]  # unfold says: none
    fieldsets = [
        (None, {"fields": ["kind", "state", "owner", "origin", "priority", "its_jobs"]}),
        (_("When"), {"fields": ["cron", "zone", "slot_table"]}),
        (_("Missed times"), {"fields": ["missed_policy", "missed_table"]}),
        (_("Content"), {"fields": ["payload_block"]}),
        (_("Times"), {"fields": ["created_at", "planned_until", "paused_at", "ended_at"]}),
        (_("Keys"), {"fields": ["id", "events"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[JobSeries]:
        rows: QuerySet[JobSeries] = super().get_queryset(request)
        return rows.annotate(kind_rests=kind_rests())

    @display(
        description=_("state"),
        label={"active": "success", "paused": "warning", "ended": "info", RESTING: "warning"},
    )
    def state(self, series: Any) -> Label:
        if series.ended_at:
            return Label("ended", _("ended"))
        if series.paused_at:
            return Label("paused", _("paused"))
        return (
            Label(RESTING, resting_words()) if series.kind_rests else Label("active", _("active"))
        )

    @admin.display(description=_("origin"))
    def origin(self, series: JobSeries) -> Any:
        return _("product") if series.shipped else _("a person")

    @admin.display(description=_("next time"))
    def next_run(self, series: JobSeries) -> Any:
        """As it is planned; computed for each row it would cost a query each."""
        planned = series.planned_until if series.is_active else None
        return short_time(planned) if planned else "–"

    @admin.display(description=_("next times"))
    def slot_table(self, series: JobSeries) -> Any:
        return _table("slots", _slot_rows(list_next_slots(series))) or _("None: it rests.")

    @admin.display(description=_("missed"))
    def missed_table(self, series: JobSeries) -> Any:
        return _table("missed", list_missed(series)) or _("None.")

    @admin.display(description=_("payload"))
    def payload_block(self, series: JobSeries) -> Any:
        return self.block(series, "payload")

    @admin.display(description=_("jobs"))
    def its_jobs(self, series: JobSeries) -> Any:
        address = reverse("admin:jobs_job_changelist", query={"series": str(series.pk)})
        return format_html('<a href="{}" class="text-link">{}</a>', address, _("Show them"))

    @admin.display(description=_("audit events"))
    def events(self, series: JobSeries) -> Any:
        return audit_link(series)

    # --- What an operator decides ---

    def get_actions_detail(self, request: HttpRequest, object_id: Any) -> Any:
        """Those that fit what the series is at the moment."""
        offered = super().get_actions_detail(request, object_id)
        return fitting(self, offered, self.get_object(request, object_id), _ACTS)

    def has_act_permission(self, request: HttpRequest, _key: Any = None) -> bool:
        return bool(request.user.has_perm(_CHANGE))

    @action(description=PAUSE.title, icon=PAUSE.icon, permissions=["act"])
    def pause(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return act_page(self, request, object_id, PAUSE)

    @action(description=RESUME.title, icon=RESUME.icon, permissions=["act"])
    def resume(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return act_page(self, request, object_id, RESUME)

    @action(description=END.title, icon=END.icon, permissions=["act"])
    def end(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return act_page(self, request, object_id, END)

    @admin.action(description=_("Pause the selected series"), permissions=["act"])
    def pause_all(self, request: HttpRequest, queryset: QuerySet[JobSeries]) -> None:
        act_on_all(request, queryset, PAUSE)

    @admin.action(description=_("Resume the selected series"), permissions=["act"])
    def resume_all(self, request: HttpRequest, queryset: QuerySet[JobSeries]) -> None:
        act_on_all(request, queryset, RESUME)

    @admin.action(description=_("End the selected series"), permissions=["act"])
    def end_all(self, request: HttpRequest, queryset: QuerySet[JobSeries]) -> None:
        act_on_all(request, queryset, END)


def _slot_rows(slots: list[Slot]) -> list[dict[str, Any]]:
    return [
        {
            "at": slot.at,
            "utc": f"{slot.at:%Y-%m-%d %H:%M}",
            "local": f"{slot.local:%Y-%m-%d %H:%M %Z}",
            "explained": slot.explain(),
        }
        for slot in slots
    ]


def _table(name: str, rows: list[Any]) -> Any:
    if not rows:
        return ""
    return mark_safe(render_to_string(f"admin/jobs/{name}.html", {"rows": rows}))  # noqa: S308  (our template)
