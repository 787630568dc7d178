"""The audit, readable and nothing else."""

import json
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action, display

from config.base.admin_base import Label, ReadOnlyAdmin, row_link, short_time
from config.base.admin_paging import LogPaginator
from skills.console.denials import with_denials
from skills.console.events import COLOURS, decision_of, outcome_of, user_name, who_of
from skills.console.filters import EVENT_FILTERS
from skills.console.pages import erase_page, export_page, verify_page
from skills.console.searching import search
from skills.models import AuditEvent, AuditSeal, AuditSubject
from skills.verifying import last_verification

LONG_KEY = 20  # characters; an id is longer, a name of a kind is not
_ENDED = ["outcome", "decision", "reason_code"]


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ["when", "action", "ended", "who", "origin", "tool", "aimed_at", "reason_code"]
    list_filter = EVENT_FILTERS
    list_filter_submit = True
    list_before_template = "admin/skills/explorer.html"  # type: ignore[assignment]  # unfold: None
    show_facets = admin.ShowFacets.NEVER
    sortable_by = ()
    paginator = LogPaginator
    actions_list = ("export_page", "verify_page", "erase_page")  # type: ignore[assignment]  # as above
    search_fields = ["target_id"]  # shows the box; `get_search_results` decides
    search_help_text = _(
        "Target, run, conversation, agent, tool, skill, reason, action or user name"
    )
    fieldsets = [
        (None, {"fields": ["when", "action", *_ENDED, "who", "origin"]}),
        (_("What"), {"fields": ["tool", "skill", "skill_version", "scope", "target"]}),
        (_("Where"), {"fields": ["agent", "conversation", "run"]}),
        (_("Details"), {"fields": ["details"]}),
        (_("Proof"), {"fields": ["id", "event_id", "row_hash", "seal"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        events: QuerySet[AuditEvent] = super().get_queryset(request)
        return events.annotate(user_name=user_name(OuterRef("subject")))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        return search(queryset, search_term), False

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        verified = {"verification": last_verification()}
        page = super().changelist_view(request, {**(extra_context or {}), **verified})
        return with_denials(page, request)

    @action(description=_("Verify"), url_path="verify", icon="verified", permissions=["view"])
    def verify_page(self, request: HttpRequest) -> HttpResponse:
        return verify_page(self, request)

    @action(description=_("Export"), url_path="export", icon="download", permissions=["view"])
    def export_page(self, request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
        return export_page(self, request)

    def has_erase_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("skills.delete_auditsubject")

    @action(
        description=_("Erase a person"), url_path="erase", icon="person_off", permissions=["erase"]
    )
    def erase_page(self, request: HttpRequest) -> HttpResponse:
        return erase_page(self, request)

    @admin.display(description=_("recorded"))
    def when(self, event: AuditEvent) -> Any:
        return short_time(event.recorded_at)

    @display(description=_("outcome"), label=COLOURS)
    def ended(self, event: AuditEvent) -> Label:
        return outcome_of(event)

    @admin.display(description=_("decision"))
    def decision(self, event: AuditEvent) -> str:
        return decision_of(event) or "–"

    @admin.display(description=_("who"))
    def who(self, event: AuditEvent) -> str:
        return who_of(event)

    @admin.display(description=_("target"))
    def aimed_at(self, event: AuditEvent) -> SafeString:
        """On one line; a link costs a query, and is on the page of the event."""
        key = event.target_id
        shown = f"…{key[-8:]}" if len(key) > LONG_KEY else key
        return format_html(
            '<span class="gh-time" title="{}">{} {}</span>', key, event.target_type or "–", shown
        )

    @admin.display(description=_("target"))
    def target(self, event: AuditEvent) -> Any:
        if not event.target_id:
            return event.target_type or "–"
        key = event.target_id
        if event.target_type == "user" and event.subject and key == str(event.subject):
            key = str(self._user_of(event.subject) or key)
        return format_html("{} {}", event.target_type, row_link(event.target_type, key))

    def _user_of(self, subject: UUID) -> UUID | None:
        return AuditSubject.objects.filter(pk=subject).values_list("user_id", flat=True).first()

    @admin.display(description=_("agent"))
    def agent(self, event: AuditEvent) -> Any:
        return row_link("agent", event.agent_id)

    @admin.display(description=_("conversation"))
    def conversation(self, event: AuditEvent) -> Any:
        return row_link("conversation", event.conversation_id)

    @admin.display(description=_("run"))
    def run(self, event: AuditEvent) -> Any:
        return row_link("run", event.run_id)

    @admin.display(description=_("details"))
    def details(self, event: AuditEvent) -> SafeString:
        text = json.dumps(event.metadata, indent=2, ensure_ascii=False, sort_keys=True)
        return format_html("<pre>{}</pre>", text)

    @admin.display(description=_("seal"))
    def seal(self, event: AuditEvent) -> str:
        seals = AuditSeal.objects.defer("entries").filter(
            first_event__lte=event.pk, last_event__gte=event.pk, event_count__gt=0
        )
        found = seals.first()
        return found.head if found else str(_("not sealed yet"))


@admin.register(AuditSeal)
class AuditSealAdmin(ReadOnlyAdmin):
    list_display = ["n", "sealed_at", "first_event", "last_event", "event_count", "short_seal"]
    date_hierarchy = "sealed_at"
    fields = [
        "n",
        "sealed_at",
        "first_event",
        "last_event",
        "event_count",
        "dropped_through",
        "ids_digest",
        "previous",
        "hmac",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditSeal]:
        seals: QuerySet[AuditSeal] = super().get_queryset(request)
        return seals.defer("entries")

    @admin.display(description=_("seal"))
    def short_seal(self, seal: AuditSeal) -> str:
        return f"{seal.hmac[:16]}…"
