"""What was done to one row of the console, by whom: read from the audit (CONSOLE_HISTORY)."""

from typing import TYPE_CHECKING, Any

from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page
from django.db.models import Model, OuterRef
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from config.base.admin_base import named
from config.base.admin_links import list_link
from config.base.admin_paging import LogPaginator
from config.base.models import User
from skills.console.events import outcome_of, user_name, who_of
from skills.models import AuditEvent, AuditSubject

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin

PER_PAGE = 20


def history_page(admin: "ConsoleAdmin", request: HttpRequest, object_id: str) -> HttpResponse:
    row = admin.get_object(request, unquote(object_id))
    if row is None:
        gone: HttpResponseRedirect = admin._get_obj_does_not_exist_redirect(  # type: ignore[attr-defined]  # Django's, unknown to its stubs
            request, admin.opts, object_id
        )
        return gone
    if not admin.has_view_or_change_permission(request, row):
        raise PermissionDenied
    title = _("History of %(name)s") % {"name": row}
    page = _events_of(row, request.GET.get("page"))
    may_read = request.user.has_perm("skills.view_auditevent")
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "row": row,
        "original": named(row, title),
        "title": title,
        "page": page,
        "events": [_shown(event) for event in page],
        "audit": list_link("skills_auditevent", q=row.pk) if may_read else "",
    }
    return TemplateResponse(request, "admin/skills/history.html", context)


def _events_of(row: Model, number: str | None) -> "Page[AuditEvent]":
    keys = [str(row.pk)]
    if isinstance(row, User):
        # What they did to their own account names them by their subject.
        subjects = AuditSubject.objects.filter(user=row).values_list("pk", flat=True)
        keys += [str(subject) for subject in subjects]
    kind = str(row._meta.model_name)
    events = AuditEvent.objects.filter(target_type=kind, target_id__in=keys).order_by("-id")
    names = user_name(OuterRef("subject"))
    return LogPaginator(events.annotate(user_name=names), PER_PAGE).get_page(number)


def _shown(event: AuditEvent) -> dict[str, Any]:
    before, after = (_values(event, name) for name in ("before", "after"))
    names = sorted({*before, *after})
    fields = event.metadata.get("fields")
    return {
        "event": event,
        "who": who_of(event),
        "outcome": outcome_of(event).words,
        "changes": [(name, before.get(name), after.get(name)) for name in names],
        "more": event.metadata.get("more"),
        "fields": fields if isinstance(fields, list) and not names else [],
        "is_new": "name" in after and not before,  # what every row has, if only once new
    }


def _values(event: AuditEvent, name: str) -> dict[str, Any]:
    values = event.metadata.get(name)
    return values if isinstance(values, dict) else {}
