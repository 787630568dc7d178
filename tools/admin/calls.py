"""The log: the ledger with what is still kept of each call's content, masked."""

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from config.base.admin_base import (
    MAX_SEARCH_WORDS,
    Label,
    ReadOnlyAdmin,
    as_block,
    search_link,
    short_link,
    short_time,
)
from config.base.admin_paging import LogPaginator
from tools.admin.call_filters import CALL_FILTERS
from tools.admin.shown import (
    STATUS_COLOURS,
    agent_link,
    decision_line,
    decision_of_call,
)
from tools.models import ActionDraft, ToolCall, ToolCallContent
from tools.schemas import JSON


def matching(term: str) -> Q:
    """Ids match whole, and so do names: both find their index."""
    try:
        row_id = uuid.UUID(term)
    except ValueError:
        return Q(user__username=term) | Q(tool_slug=term)
    return Q(pk=row_id) | Q(run_id=row_id) | Q(conversation_id=row_id) | Q(user=row_id)


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnlyAdmin):
    list_display = ["when", "tool_slug", "outcome", "decided", "user", "origin"]
    list_display += ["effect", "duration_ms", "error_code"]
    list_display_links = ["when"]
    list_filter = CALL_FILTERS
    list_filter_submit = True
    list_select_related = ["user"]
    show_facets = admin.ShowFacets.NEVER  # each would be counted
    sortable_by = ()  # only this order has an index behind every filter
    ordering = ["-created_at", "-pk"]
    paginator = LogPaginator
    search_fields = ["pk"]  # shows the box; `get_search_results` decides
    search_help_text = _("Id of a call, run, conversation or user; name of a user or a tool")
    fieldsets = [
        (None, {"fields": ["tool_slug", "tool_type", "outcome", "error_code", "said"]}),
        (_("Who"), {"fields": ["user", "role", "origin", "agent", "conversation", "run"]}),
        (_("Decision"), {"fields": ["decision_reasons", "draft", "events"]}),
        (_("Content, masked"), {"fields": ["input", "output", "sizes"]}),
        (_("Receipt"), {"fields": ["receipt_block", "effect", "attempt", "input_digest"]}),
        (_("Times"), {"fields": ["created_at", "started_at", "finished_at", "duration_ms"]}),
        (_("Keys"), {"fields": ["id", "idempotency_key", "skill", "skill_version"]}),
    ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        for term in search_term.split()[:MAX_SEARCH_WORDS]:
            queryset = queryset.filter(matching(term.replace("\0", "")))
        return queryset, False

    @admin.display(description=_("created"))
    def when(self, call: ToolCall) -> Any:
        return short_time(call.created_at)

    @display(description=_("status"), ordering="status", label=STATUS_COLOURS)
    def outcome(self, call: ToolCall) -> Label:
        return Label(call.status, call.get_status_display())

    @admin.display(description=_("agent"))
    def agent(self, call: ToolCall) -> Any:
        return agent_link(call.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, call: ToolCall) -> Any:
        return short_link("conversation", call.conversation_id)

    @admin.display(description=_("run"))
    def run(self, call: ToolCall) -> Any:
        return short_link("run", call.run_id)

    @admin.display(description=_("draft"))
    def draft(self, call: ToolCall) -> Any:
        draft = ActionDraft.objects.filter(call=call).only("pk").first()
        return short_link("action_draft", draft.pk if draft else None)

    @admin.display(description=_("audit events"))
    def events(self, call: ToolCall) -> Any:
        return search_link("skills_auditevent", call.pk, _("Show them"))

    @admin.display(description=_("decision"))
    def decided(self, call: ToolCall) -> str:
        return decision_line(call)

    @admin.display(description=_("gates"))
    def decision_reasons(self, call: ToolCall) -> Any:
        return decision_of_call(call)

    @admin.display(description=_("receipt"))
    def receipt_block(self, call: ToolCall) -> Any:
        return as_block(call.receipt)

    @admin.display(description=_("error message"))
    def said(self, call: ToolCall) -> str:
        return call.error_message

    @admin.display(description=_("input"))
    def input(self, call: ToolCall) -> Any:
        return _content(call, lambda content: as_block(content.input))

    @admin.display(description=_("output"))
    def output(self, call: ToolCall) -> Any:
        return _content(call, lambda content: as_block(content.output))

    @admin.display(description=_("sizes"))
    def sizes(self, call: ToolCall) -> Any:
        return _content(call, _sizes)


def _content(call: ToolCall, show: Callable[[ToolCallContent], Any]) -> Any:
    content = ToolCallContent.objects.filter(call=call).first()
    return show(content) if content else _("not kept, or no longer")


def _sizes(content: ToolCallContent) -> str:
    facts: JSON = {"in": content.input_bytes, "out": content.output_bytes}
    text = _("%(in)d bytes in, %(out)d bytes out") % facts
    return f"{text} ({_('cut')})" if content.truncated else str(text)
