"""The kinds of jobs that this installation knows, and those that rest."""

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from jobs import services
from jobs.registry import find_handler, list_kinds
from jobs.selectors import paused_kinds

if TYPE_CHECKING:
    from config.base.admin_base import ReadOnlyAdmin


def kinds_page(admin: "ReadOnlyAdmin", request: HttpRequest) -> HttpResponse:
    may_change = request.user.has_perm("jobs.change_job")
    if request.method == "POST":
        if not may_change:
            raise PermissionDenied
        _decide(request)
        return HttpResponseRedirect(request.path)
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "title": _("Kinds of jobs"),
        "rows": _rows(),
        "may_change": may_change,
    }
    return TemplateResponse(request, "admin/jobs/kinds.html", context)


def _decide(request: HttpRequest) -> None:
    kind = request.POST.get("kind", "").replace("\0", "")
    decide = services.resume_kind if "resume" in request.POST else services.pause_kind
    try:
        decide(admin_actor(request), kind)
    except GatehouseError as error:
        messages.error(request, error.message)


def _rows() -> list[dict[str, Any]]:
    """Also kinds that are gone while they rest: somebody may want to let their jobs go on."""
    paused = paused_kinds()
    return [
        {
            "kind": kind,
            "handler": find_handler(kind),
            "paused_at": paused.get(kind, (None, ""))[0],
            "paused_by": paused.get(kind, (None, ""))[1],
            "link": reverse("admin:jobs_job_changelist", query={"kind": kind}),
        }
        for kind in sorted({*list_kinds(), *paused})
    ]
