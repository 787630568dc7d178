"""What a tool type says of itself, within the form of a tool."""

from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from tools.admin.tool.type_pages import field_rows, type_link
from tools.docs.schema import FieldDoc
from tools.docs.types import docs_of
from tools.registry import AnyToolType, list_tool_types


def type_help(tool_type: AnyToolType) -> SafeString:
    docs = docs_of(tool_type)
    return format_html(
        '<p>{}</p><p><a class="gh-link" href="{}">{}</a></p>{}'
        "<details><summary>{}</summary>{}</details>",
        docs.purpose or docs.label,
        type_link(docs.name),
        _("All about this type"),
        _fields(docs.config, _("Settings")),
        _("Arguments"),
        _fields(docs.arguments or [], _("Arguments")),
    )


def all_types_help() -> SafeString:
    """Before a type is chosen."""
    rows = ((found.label, type_help(found)) for found in list_tool_types())
    return format_html_join("", "<details><summary>{}</summary>{}</details>", rows)


def _fields(fields: list[FieldDoc], label: str) -> SafeString:
    if not fields:
        return format_html("<p>{}</p>", _("Nothing to set."))
    context = {"rows": field_rows(fields), "label": label}
    return mark_safe(render_to_string("admin/tools/fields.html", context))  # noqa: S308  (our template)
