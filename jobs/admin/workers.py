"""Sets of worker processes: where they are, and whether they live.

The row of one that was killed stays for a day, then housekeeping throws it away.
"""

from typing import Any

from django.contrib import admin
from django.db.models import (
    BooleanField,
    Case,
    DurationField,
    ExpressionWrapper,
    F,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Now
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin, short_span
from jobs.health import is_alive
from jobs.models import WorkerBeat


@admin.register(WorkerBeat)
class WorkerBeatAdmin(ReadOnlyAdmin):
    list_display = ["supervisor", "state", "machine", "slots", "started_at", "seen_at"]
    list_before_template = "admin/jobs/workers.html"  # type: ignore[assignment]  # unfold says None
    ordering = ["-seen_at", "name"]
    search_fields = ["name", "machine"]
    search_help_text = _("Supervisor process or machine")
    fields = ["supervisor", "state", "machine", "slots", "started_at", "seen_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[WorkerBeat]:
        """By the database's clock."""
        rows: QuerySet[WorkerBeat] = super().get_queryset(request)
        alive = Case(When(is_alive(), then=Value(True)), default=False, output_field=BooleanField())
        silent = ExpressionWrapper(Now() - F("seen_at"), output_field=DurationField())
        return rows.annotate(alive=alive, silent=silent)

    @admin.display(description=_("supervisor process"))
    def supervisor(self, worker: WorkerBeat) -> str:
        return worker.name

    @display(description=_("state"), label={"alive": "success", "gone": "danger"})
    def state(self, worker: Any) -> Label:
        if worker.alive:
            return Label("alive", _("alive"))
        words = _("gone; last seen %(time)s ago") % {"time": short_span(worker.silent)}
        return Label("gone", words)
