"""Sets of worker processes: where they are, and whether they live."""

from typing import Any

from django.contrib import admin
from django.db.models import BooleanField, Case, QuerySet, Value, When
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin
from jobs.health import is_alive
from jobs.models import WorkerBeat


@admin.register(WorkerBeat)
class WorkerBeatAdmin(ReadOnlyAdmin):
    list_display = ["name", "state", "machine", "slots", "started_at", "seen_at"]
    ordering = ["-seen_at", "name"]
    search_fields = ["name", "machine"]
    fields = ["name", "state", "machine", "slots", "started_at", "seen_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[WorkerBeat]:
        """By the database's clock."""
        rows: QuerySet[WorkerBeat] = super().get_queryset(request)
        alive = Case(When(is_alive(), then=Value(True)), default=False, output_field=BooleanField())
        return rows.annotate(alive=alive)

    @display(description=_("state"), label={"alive": "success", "gone": "danger"})
    def state(self, worker: Any) -> Label:
        return Label("alive", _("alive")) if worker.alive else Label("gone", _("not seen"))
