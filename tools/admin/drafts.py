"""Drafts that wait, or waited, for a person: readable, decided by nobody here."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import ReadOnlyAdmin, as_block
from tools.admin.shown import STATE_COLOURS, decision_list, keeps_content
from tools.masking import mask
from tools.models import ActionDraft


@admin.register(ActionDraft)
class ActionDraftAdmin(ReadOnlyAdmin):
    list_display = ["created_at", "tool", "owner", "situation", "kind", "version", "expires_at"]
    list_filter = ["state", "kind", "reason", "created_at"]
    list_select_related = ["owner", "call"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=owner__username", "=call__tool_slug"]
    fieldsets = [
        (None, {"fields": ["tool", "owner", "situation", "kind", "version", "expires_at"]}),
        (_("What was shown"), {"fields": ["title", "targets", "preview", "risk"]}),
        (_("Arguments"), {"fields": ["proposed", "edited", "executed"]}),
        (_("Decision"), {"fields": ["gates", "decided_by", "decided_at", "reason"]}),
        (_("Outcome"), {"fields": ["receipt_block", "error_code", "error_message", "attempt"]}),
        (_("Keys"), {"fields": ["id", "call_id", "hash", "created_at", "updated_at"]}),
    ]

    @admin.display(description=_("tool"), ordering="call__tool_slug")
    def tool(self, draft: ActionDraft) -> str:
        return draft.call.tool_slug

    @display(description=_("state"), ordering="state", label=STATE_COLOURS)
    def situation(self, draft: ActionDraft) -> tuple[str, str]:
        return draft.state, draft.get_state_display()

    @admin.display(description=_("gates"))
    def gates(self, draft: ActionDraft) -> Any:
        return decision_list(draft.call.decision)

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
    return as_block(mask(value)) if keeps_content(draft.call.tool_type) else _("its owner's only")
