"""Runs: what became of each turn, who answered and what it took; never what was said."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from agents.admin.run_filters import RUN_FILTERS
from agents.models import Run, RunStatus, RunStep
from config.base.admin_base import Label, ReadOnlyAdmin, as_block, search_link
from config.base.admin_paging import LogPaginator

_COLOURS: dict[str, str] = {
    RunStatus.COMPLETED: "success",
    RunStatus.FAILED: "danger",
    RunStatus.WAITING: "warning",
    RunStatus.QUEUED: "info",
    RunStatus.RUNNING: "info",
}


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "owner", "agent", "situation", "response_status", "model"]
    list_display += ["tokens", "cost", "duration", "error_code"]
    list_filter = RUN_FILTERS
    list_filter_submit = True
    show_facets = admin.ShowFacets.NEVER  # each would be counted
    sortable_by = ()  # only this order has an index behind every filter
    paginator = LogPaginator
    list_select_related = ["owner", "agent"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=id", "=owner__username"]
    fieldsets = [
        (
            None,
            {"fields": ["id", "owner", "agent", "project", "conversation", "situation", "trail"]},
        ),
        (_("Answer"), {"fields": ["response_status", "intent", "tools_used", "warned"]}),
        (_("Error"), {"fields": ["error_code", "error_message"]}),
        (_("Request"), {"fields": ["client", "origin", "role", "enable_tools", "unattended"]}),
        (_("Model and cost"), {"fields": ["model", "tokens", "cost", "steps_taken"]}),
        (_("Times"), {"fields": ["created_at", "started_at", "finished_at", "duration"]}),
        (_("Lease"), {"fields": ["revision", "lease_owner", "lease_expires_at"]}),
    ]

    @display(description=_("status"), ordering="status", label=_COLOURS)
    def situation(self, run: Run) -> Label:
        return Label(run.status, run.get_status_display())

    @admin.display(description=_("what it did"))
    def trail(self, run: Run) -> Any:
        calls = search_link("tools_toolcall", run.pk, _("tool calls"))
        return format_html(
            "{} · {}", calls, search_link("skills_auditevent", run.pk, _("audit events"))
        )

    @admin.display(description=_("duration"))
    def duration(self, run: Run) -> str:
        if run.started_at is None or run.finished_at is None:
            return "–"
        return f"{(run.finished_at - run.started_at).total_seconds():.1f} s"

    @admin.display(description=_("tools used"))
    def tools_used(self, run: Run) -> str:
        return ", ".join(run.tools) or "–"

    @admin.display(description=_("warnings"))
    def warned(self, run: Run) -> Any:
        return format_html_join("", "<p>{}</p>", ((warning,) for warning in run.warnings)) or "–"

    @admin.display(description=_("tokens in / out"), ordering="input_tokens")
    def tokens(self, run: Run) -> str:
        return _tokens(run)

    @admin.display(description=_("cost (USD)"), ordering="cost_usd")
    def cost(self, run: Run) -> str:
        return _cost(run)

    @admin.display(description=_("steps"))
    def steps_taken(self, run: Run) -> Any:
        """Which model gave each reply and what it took; what it said is not shown."""
        rows = run.steps.filter(replied=True).defer("text", "tool_calls", "results")
        lines = [
            f"{step.n}. {step.model or '–'} · {_tokens(step)} · {_cost(step)}" for step in rows
        ]
        return as_block("\n".join(lines))


def _tokens(row: Run | RunStep) -> str:
    """`≈`: counted by us, because the server did not say."""
    mark = "≈ " if row.usage_estimated else ""
    return f"{mark}{row.input_tokens:,} / {row.output_tokens:,}"


def _cost(row: Run | RunStep) -> str:
    if row.cost_usd is None:
        return "–"
    return f"{'≈ ' if row.usage_estimated else ''}{row.cost_usd:.6f}".rstrip("0").rstrip(".")
