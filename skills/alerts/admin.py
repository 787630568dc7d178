"""Rules: made, tested and followed by operators. Alerts: read."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.decorators import action, display

from config.base.admin_base import (
    AuditedModelAdmin,
    Label,
    ReadOnlyAdmin,
    admin_actor,
    named,
    row_link,
    short_time,
)
from config.base.admin_links import list_link
from config.base.admin_paging import LogPaginator
from config.base.admin_races import told
from skills.alerts.forms import AlertRuleForm
from skills.alerts.models import Alert, AlertRule
from skills.alerts.selectors import SHOWN, delivery_state, list_last_alerts
from skills.alerts.services import save_rule, send_test
from skills.console.events import user_name

STATES = {
    "delivered": gettext_lazy("delivered"),
    "waiting": gettext_lazy("being sent"),
    "failed": gettext_lazy("not delivered"),
    "": gettext_lazy("no webhook"),
}
COLOURS = {"delivered": "success", "waiting": "info", "failed": "danger"}


@admin.register(AlertRule)
class AlertRuleAdmin(AuditedModelAdmin):
    form = AlertRuleForm
    list_display = ["name", "enabled", "denials", "minutes", "tool", "skill", "reason_code"]
    list_filter = ["enabled"]
    search_fields = ["name", "tool", "skill", "reason_code"]
    readonly_fields = ["created_at"]
    actions_detail = ("deliveries_page",)  # type: ignore[assignment]  # unfold says: none
    actions_row = ("deliveries_page",)  # type: ignore[assignment]  # as above
    fieldsets = [
        (
            None,
            {
                "fields": [
                    *("name", "enabled", "denials", "minutes"),
                    *("tool", "skill", "reason_code"),
                ],
                "description": gettext_lazy(
                    "When somebody is refused so often, an event alert.raised is written, once "
                    "for each user and span of time."
                ),
            },
        ),
        (
            gettext_lazy("Webhook"),
            {
                "fields": ["url", "secret", "allowed_networks"],
                "description": gettext_lazy(
                    "Signed as Standard Webhooks has it; docs/alerts.md shows how to check it."
                ),
            },
        ),
    ]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if form.changed_data or not change:
            save_rule(admin_actor(request), obj, form.changed_data)

    @action(
        description=gettext_lazy("Deliveries"),
        url_path="deliveries",
        icon="outbox",
        permissions=["view"],
    )
    def deliveries_page(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The last alerts and what became of them; a test is sent from here."""
        return _deliveries(self, request, object_id)


@told
def _deliveries(console: AlertRuleAdmin, request: HttpRequest, object_id: str) -> HttpResponse:
    rule = console.get_object(request, object_id)
    if rule is None:
        gone: HttpResponseRedirect = console._get_obj_does_not_exist_redirect(  # type: ignore[attr-defined]  # Django's, unknown to its stubs
            request, console.opts, object_id
        )
        return gone
    may_test = console.has_change_permission(request, rule)
    if request.method == "POST":
        if not may_test:
            raise PermissionDenied
        send_test(admin_actor(request), rule.pk, now=timezone.now())
        messages.success(request, _("A test is on its way."))
        return HttpResponseRedirect(request.get_full_path())
    title = _("Deliveries of %(name)s") % {"name": rule}
    context = {
        **console.admin_site.each_context(request),
        "opts": console.opts,
        "original": named(rule, title),
        "title": title,
        "rule": rule,
        "may_test": may_test and bool(rule.url),
        "rows": [_shown(alert) for alert in list_last_alerts(rule.pk)],
        "shown": SHOWN,
        "all": list_link("skills_alert", q=rule.name),
    }
    return TemplateResponse(request, "admin/skills/deliveries.html", context)


def _shown(alert: Alert) -> dict[str, Any]:
    state = delivery_state(alert)
    return {
        "alert": alert,
        "state": STATES[state],
        "colour": COLOURS.get(state, "default"),
        "job": alert.job,
        "link": list_link("jobs_job", q=alert.job_id) if alert.job_id else "",
    }


@admin.register(Alert)
class AlertAdmin(ReadOnlyAdmin):
    list_display = ["when", "rule", "who", "denials", "state", "is_test"]
    list_filter = ["rule", "is_test"]
    list_select_related = ["rule", "job"]
    show_facets = admin.ShowFacets.NEVER
    sortable_by = ()
    paginator = LogPaginator
    search_fields = ["rule__name", "=subject"]
    fieldsets = [
        (None, {"fields": ["raised_at", "rule", "who", "denials", "first_at", "last_at"]}),
        (
            gettext_lazy("Webhook"),
            {"fields": ["state", "status_code", "delivered_at", "sent_by", "is_test"]},
        ),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        alerts: QuerySet[Any] = super().get_queryset(request).select_related("rule", "job")
        with_names: QuerySet[Any] = alerts.annotate(user_name=user_name(OuterRef("subject")))
        return with_names

    @admin.display(description=gettext_lazy("raised"))
    def when(self, alert: Alert) -> Any:
        return short_time(alert.raised_at)

    @admin.display(description=gettext_lazy("user"))
    def who(self, alert: Any) -> str:
        if alert.subject is None:
            return "–"
        return alert.user_name or _("erased")

    @display(description=gettext_lazy("webhook"), label=COLOURS)
    def state(self, alert: Alert) -> Label:
        state = delivery_state(alert)
        return Label(state, STATES[state])

    @admin.display(description=gettext_lazy("job"))
    def sent_by(self, alert: Alert) -> Any:
        return row_link("job", alert.job_id)
