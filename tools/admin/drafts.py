"""Drafts that wait, or waited, for a person: readable, decided by nobody here."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin, as_block, short_link
from config.base.admin_filters import SelectFilter, select, times
from config.base.admin_paging import LogPaginator
from tools.admin.shown import (
    STATE_COLOURS,
    agent_link,
    decision_list,
    keeps_content,
    state_label,
)
from tools.enums import DismissReason, DraftKind, DraftState
from tools.log.masking import mask
from tools.models import ActionDraft
from tools.models.draft import WAITING


class StateFilter(SelectFilter):
    title = _("state")
    parameter_name = "state"

    def options(self) -> Iterable[tuple[str, Any]]:
        states = [(state.value, state_label(state)) for state in DraftState]
        return [("waiting", _("any that can still be decided")), *states]

    def narrow(self, value: str) -> Q:
        if value == "waiting":
            return Q(state__in=WAITING, expires_at__gt=timezone.now())
        return Q(state=DraftState(value))


DRAFT_FILTERS: list[Any] = [
    *times("created_at", _("from"), _("before")),
    StateFilter,
    select("reason", _("reason"), lambda: DismissReason.choices, "reason"),
    select("kind", _("kind"), lambda: DraftKind.choices, "kind"),
]


@admin.register(ActionDraft)
class ActionDraftAdmin(ReadOnlyAdmin):
    # A phone shows the first columns: what they are looked up for comes before the times.
    list_display = ["tool", "situation", "owner", "created_at", "kind", "version", "expires_at"]
    list_display += ["decided_by", "decided_at"]
    list_filter = DRAFT_FILTERS
    list_filter_submit = True
    show_facets = admin.ShowFacets.NEVER
    paginator = LogPaginator
    list_select_related = ["owner", "call", "decided_by"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=owner__username", "=call__tool_slug"]
    fieldsets = [
        (None, {"fields": ["tool", "owner", "situation", "kind", "version", "expires_at"]}),
        (_("Where"), {"fields": ["call_link", "agent", "conversation", "run"]}),
        (_("What was shown"), {"fields": ["title", "targets", "preview", "risk"]}),
        (_("Arguments"), {"fields": ["proposed", "edited", "executed"]}),
        (_("Decision"), {"fields": ["gates", "decided_by", "decided_at", "reason"]}),
        (_("Outcome"), {"fields": ["receipt_block", "error_code", "error_message", "attempt"]}),
        (_("Keys"), {"fields": ["id", "hash", "created_at", "updated_at"]}),
    ]

    @admin.display(description=_("tool"), ordering="call__tool_slug")
    def tool(self, draft: ActionDraft) -> str:
        return draft.call.tool_slug

    @display(description=_("state"), ordering="state", label=STATE_COLOURS)
    def situation(self, draft: ActionDraft) -> Label:
        return Label(draft.state, state_label(DraftState(draft.state)))

    @admin.display(description=_("tool call"))
    def call_link(self, draft: ActionDraft) -> Any:
        return short_link("tool_call", draft.call_id)

    @admin.display(description=_("agent"))
    def agent(self, draft: ActionDraft) -> Any:
        return agent_link(draft.call.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, draft: ActionDraft) -> Any:
        return short_link("conversation", draft.call.conversation_id)

    @admin.display(description=_("run"))
    def run(self, draft: ActionDraft) -> Any:
        return short_link("run", draft.call.run_id)

    @admin.display(description=_("gates"))
    def gates(self, draft: ActionDraft) -> Any:
        return decision_list(draft.call.told_decision)

    @admin.display(description=_("title"))
    def title(self, draft: ActionDraft) -> Any:
        return _if_kept(draft, draft.plan.get("title"))

    @admin.display(description=_("targets"))
    def targets(self, draft: ActionDraft) -> Any:
        names = ("type", "id", "version")
        return as_block([{name: t.get(name) for name in names} for t in draft.plan["targets"]])

    @admin.display(description=_("preview"))
    def preview(self, draft: ActionDraft) -> Any:
        return _if_kept(draft, (draft.plan.get("preview") or {}).get("text"))

    @admin.display(description=_("risk"))
    def risk(self, draft: ActionDraft) -> str:
        return str(draft.plan.get("risk", ""))

    @admin.display(description=_("proposed"))
    def proposed(self, draft: ActionDraft) -> Any:
        return _if_kept(draft, draft.proposed_arguments)

    @admin.display(description=_("edited"))
    def edited(self, draft: ActionDraft) -> Any:
        return _if_kept(draft, draft.edited_arguments)

    @admin.display(description=_("executed"))
    def executed(self, draft: ActionDraft) -> Any:
        return _if_kept(draft, draft.executed_arguments)

    @admin.display(description=_("receipt"))
    def receipt_block(self, draft: ActionDraft) -> Any:
        return as_block(draft.receipt)


def _if_kept(draft: ActionDraft, value: Any) -> Any:
    """As in the log: secrets masked, and nothing of what is its owner's alone."""
    if value is None:
        return "–"
    if not keeps_content(draft.call.tool_type):
        return _("hidden: only its owner sees it")
    return as_block(mask(value))
