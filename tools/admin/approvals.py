"""Standing approvals of people: readable, and revocable by operators."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.decorators import display

from config.base.admin_base import Label, ReadOnlyAdmin, admin_actor, as_block, short_link
from config.base.admin_filters import times
from config.base.admin_paging import LogPaginator
from tools.admin.shown import agent_link
from tools.approvals.services import revoke_as_operator
from tools.approvals.state import ApprovalState, state_of
from tools.models import StandingApproval

_COLOURS: dict[str, str] = {
    ApprovalState.ACTIVE: "success",
    ApprovalState.VOID: "warning",
    ApprovalState.REVOKED: "danger",
}


@admin.register(StandingApproval)
class StandingApprovalAdmin(ReadOnlyAdmin):
    # A phone shows the first columns: what they are looked up for comes before the times.
    list_display = ["tool_slug", "situation", "owner", "uses", "left", "created_at", "expires_at"]
    list_display += ["last_used_at"]
    list_filter = [*times("created_at", _("from"), _("before"))]
    list_filter_submit = True
    paginator = LogPaginator
    list_select_related = ["owner", "tool"]
    ordering = ["-created_at", "-pk"]
    search_fields = ["=owner__username", "=tool_slug"]
    actions = ["revoke"]
    fieldsets = [
        (None, {"fields": ["tool_slug", "owner", "situation", "uses", "left", "expires_at"]}),
        (_("Where"), {"fields": ["agent", "conversation"]}),
        (_("What was approved"), {"fields": ["draft_link", "kind_of_call", "demands"]}),
        (_("Times"), {"fields": ["created_at", "last_used_at", "revoked_at", "revoked_by"]}),
        (_("Keys"), {"fields": ["id", "conditions"]}),
    ]

    @display(description=_("state"), label=_COLOURS)
    def situation(self, approval: StandingApproval) -> Label:
        state = state_of(approval, now=timezone.now())
        return Label(state, state.label)

    @admin.display(description=_("uses left"), ordering="uses_left")
    def left(self, approval: StandingApproval) -> Any:
        return _("no limit") if approval.uses_left is None else approval.uses_left

    @admin.display(description=_("agent"))
    def agent(self, approval: StandingApproval) -> Any:
        return agent_link(approval.agent_id) if approval.agent_id else _("every agent")

    @admin.display(description=_("conversation"))
    def conversation(self, approval: StandingApproval) -> Any:
        if approval.conversation_id is None:
            return _("in every conversation")
        return short_link("conversation", approval.conversation_id)

    @admin.display(description=_("given with"))
    def draft_link(self, approval: StandingApproval) -> Any:
        return short_link("action_draft", approval.draft_id)

    @admin.display(description=_("given for"))
    def kind_of_call(self, approval: StandingApproval) -> Any:
        return as_block(approval.annotations)

    @admin.display(description=_("asked because"))
    def demands(self, approval: StandingApproval) -> str:
        return ", ".join(approval.reasons)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("tools.change_standingapproval"))

    @admin.action(description=_("Revoke the selected approvals"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[StandingApproval]) -> None:
        chosen = list(queryset.filter(revoked_at=None).values_list("pk", flat=True))
        for pk in chosen:
            revoke_as_operator(admin_actor(request), pk)
        done = ngettext("%(n)d approval revoked.", "%(n)d approvals revoked.", len(chosen))
        messages.success(request, done % {"n": len(chosen)})
