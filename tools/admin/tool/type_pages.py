"""The types of tools, as their code describes them: all of them, and one by one."""

import json
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from tools.admin.schema.shapes import to_text
from tools.docs.facts import facts_of
from tools.docs.limits import limits_in_words
from tools.docs.schema import FieldDoc
from tools.docs.types import all_docs, docs_of
from tools.models import Tool
from tools.registry import find_tool_type
from tools.schemas import JSON

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin


def types_page(admin: "ConsoleAdmin", request: HttpRequest) -> HttpResponse:
    if not admin.has_view_permission(request):
        raise PermissionDenied
    rows = [
        {"docs": docs, "link": type_link(docs.name), "risk": _risk_of(docs.annotations)}
        for docs in all_docs()
    ]
    context = {"title": _("Types of tools"), "rows": rows}
    return _page(admin, request, "admin/tools/tool/types.html", context)


def type_page(admin: "ConsoleAdmin", request: HttpRequest, name: str) -> HttpResponse:
    if not admin.has_view_permission(request):
        raise PermissionDenied
    found = find_tool_type(name)
    if found is None:
        raise Http404
    docs = docs_of(found)
    context = {
        "title": docs.label,
        "docs": docs,
        "facts": facts_of(docs),
        "example": to_text(docs.example) if docs.example else "",
        "config": field_rows(docs.config),
        "arguments": None if docs.arguments is None else field_rows(docs.arguments),
        "tools": Tool.objects.filter(type=name),
        "may_add": admin.has_add_permission(request),
        "add": reverse("admin:tools_tool_add", query={"type": name}),
    }
    return _page(admin, request, "admin/tools/tool/type.html", context)


def type_link(name: str) -> str:
    return reverse("admin:tools_tool_type", args=[name])


def field_rows(fields: list[FieldDoc]) -> list[dict[str, Any]]:
    return [
        {
            "field": field,
            "default": "" if field.default is None else _as_json(field.default),
            "limits": limits_in_words(field),
        }
        for field in fields
    ]


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _risk_of(annotations: JSON | None) -> str:
    return annotations["risk"] if annotations else "–"


def _page(
    admin: "ConsoleAdmin", request: HttpRequest, template: str, context: dict[str, Any]
) -> HttpResponse:
    base = {**admin.admin_site.each_context(request), "opts": admin.opts}
    return TemplateResponse(request, template, {**base, **context})
