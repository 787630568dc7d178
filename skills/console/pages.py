"""Verifying and exporting the audit: both are audited themselves."""

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base import audit
from config.base.admin_base import admin_actor
from skills.console.forms import ExportForm, VerifyForm
from skills.export import export_pieces
from skills.horizon import last_event_id
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
    form = ExportForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        return _export(form, request)
    return _page(admin, request, "admin/skills/export.html", title=_("Export the audit"), form=form)


def _export(form: ExportForm, request: HttpRequest) -> StreamingHttpResponse:
    """Who takes it along is written down before the first line leaves."""
    audit.record(
        "audit.exported",
        audit.Outcome.SUCCEEDED,
        actor=admin_actor(request),
        metadata=form.facts(),
    )
    response = StreamingHttpResponse(
        export_pieces(form.events()), content_type="application/x-ndjson; charset=utf-8"
    )
    name = f"audit-{timezone.now():%Y%m%dT%H%M%SZ}.jsonl"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _page(
    admin: "ReadOnlyAdmin", request: HttpRequest, template: str, **context: Any
) -> TemplateResponse:
    frame = {**admin.admin_site.each_context(request), "opts": admin.opts, **context}
    return TemplateResponse(request, template, frame)
