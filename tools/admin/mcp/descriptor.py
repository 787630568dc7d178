"""What a server says of a tool by now, beside what was agreed; and accepting it."""

import difflib
from typing import TYPE_CHECKING
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from tools.mcp.changes import TYPE, accept_descriptor
from tools.mcp.descriptors import check_descriptor, descriptor_hash, readable
from tools.models import Tool
from tools.schemas import JSON

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin


def descriptor_page(admin: "ConsoleAdmin", request: HttpRequest, tool_id: UUID) -> HttpResponse:
    tool = Tool.objects.filter(pk=tool_id, type=TYPE).first()
    if tool is None:
        raise Http404
    if not admin.has_change_permission(request, tool):
        raise PermissionDenied
    if request.method == "POST" and _accepted(request, tool):
        return HttpResponseRedirect(reverse("admin:tools_tool_change", args=[tool.pk]))
    pinned, seen = tool.config.get("descriptor") or {}, tool.config.get("changed_descriptor")
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "original": tool,
        "title": _("What the server says of %(name)s") % {"name": tool},
        "pinned": readable(pinned),
        "lines": diff_lines(pinned, seen) if seen else [],
        "seen_hash": descriptor_hash(seen) if seen else "",
        "problem": _problem(seen) if seen else "",
    }
    return TemplateResponse(request, "admin/tools/tool/descriptor.html", context)


def diff_lines(pinned: JSON, seen: JSON) -> list[JSON]:
    """Unified, the whole of it, with what kind each line is: `added`, `removed`, ``."""
    before, after = readable(pinned).splitlines(), readable(seen).splitlines()
    kinds = {"+": "added", "-": "removed"}
    lines = difflib.unified_diff(before, after, lineterm="", n=max(len(before), len(after)))
    return [{"text": line, "kind": kinds.get(line[:1], "")} for line in list(lines)[3:]]


def _accepted(request: HttpRequest, tool: Tool) -> bool:
    try:
        accept_descriptor(
            admin_actor(request), tool.pk, seen_hash=request.POST.get("seen_hash", "")
        )
    except GatehouseError as error:
        messages.error(request, error.message)
        tool.refresh_from_db()
        return False
    messages.success(request, _("%(name)s was accepted and switched on.") % {"name": tool})
    return True


def _problem(seen: JSON) -> str:
    try:
        check_descriptor(seen)
    except GatehouseError as error:
        return error.message
    return ""
