"""Verifying and exporting the audit: both are audited themselves."""

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base import audit
from config.base.admin_base import admin_actor
from config.base.admin_paging import COUNTED
from config.base.people import signed_in
from skills.console.forms import EraseForm, ExportForm, VerifyForm
from skills.console.shown import shown_facts
from skills.erasure import erase_person
from skills.export import export_pieces
from skills.horizon import last_event_id
from skills.models import AuditEvent
from skills.verifying import last_verification, verify_and_record

if TYPE_CHECKING:
    from config.base.admin_base import ReadOnlyAdmin

VERIFIED_AT_ONCE = 300_000  # events: about half a minute; more is for the command


def verify_page(admin: "ReadOnlyAdmin", request: HttpRequest) -> HttpResponse:
    form = VerifyForm(request.POST if request.method == "POST" else None)
    too_many = last_event_id() > VERIFIED_AT_ONCE
    report = None
    if form.is_bound and form.is_valid() and not too_many:
        report = verify_and_record(admin_actor(request), form.cleaned_data["head"])
    return _page(
        admin,
        request,
        "admin/skills/verify.html",
        title=_("Verify the audit"),
        form=form,
        report=report,
        too_many=too_many,
        verification=last_verification(),
    )


def export_page(
    admin: "ReadOnlyAdmin", request: HttpRequest
) -> HttpResponse | StreamingHttpResponse:
    if request.GET:
        return _export_shown(admin, request)
    form = ExportForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        return _export(form.events(), form.facts(), request)
    return _page(admin, request, "admin/skills/export.html", title=_("Export the audit"), form=form)


def _export_shown(
    admin: "ReadOnlyAdmin", request: HttpRequest
) -> HttpResponse | StreamingHttpResponse:
    """What the list shows under the same address."""
    try:
        shown = admin.get_changelist_instance(request)
    except IncorrectLookupParameters:
        return HttpResponseRedirect(request.path)
    if request.method == "POST":
        return _export(shown.queryset, shown_facts(request), request)
    title = _("Export what is shown")
    context = {"title": title, "cl": shown, "counted": COUNTED}
    return _page(admin, request, "admin/skills/export.html", **context)


def _export(
    events: QuerySet[AuditEvent], facts: dict[str, Any], request: HttpRequest
) -> StreamingHttpResponse:
    """Who takes it along is written down before the first line leaves."""
    audit.record(
        "audit.exported", audit.Outcome.SUCCEEDED, actor=admin_actor(request), metadata=facts
    )
    response = StreamingHttpResponse(
        export_pieces(events), content_type="application/x-ndjson; charset=utf-8"
    )
    name = f"audit-{timezone.now():%Y%m%dT%H%M%SZ}.jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def erase_page(admin: "ReadOnlyAdmin", request: HttpRequest) -> HttpResponse:
    form = EraseForm(signed_in(request), request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        user = form.cleaned_data["user"]
        account = form.cleaned_data["account"]
        if erase_person(admin_actor(request), user.pk, with_account=account):
            messages.success(request, _("The events of %(name)s lead to nobody.") % {"name": user})
        else:
            messages.info(request, _("No event led to %(name)s.") % {"name": user})
        return HttpResponseRedirect(request.path)
    title = _("Erase a person from the audit")
    return _page(admin, request, "admin/skills/erase.html", title=title, form=form)


def _page(
    admin: "ReadOnlyAdmin", request: HttpRequest, template: str, **context: Any
) -> TemplateResponse:
    frame = {**admin.admin_site.each_context(request), "opts": admin.opts, **context}
    return TemplateResponse(request, template, frame)
