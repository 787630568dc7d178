"""A tool type's schemas as a table that an operator can configure from."""

import json
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from tools.catalogue import describe_type
from tools.registry import AnyToolType, list_tool_types
from tools.schemas import JSON

_CELL = 'class="py-1 pr-4 align-top text-left"'


def type_help(tool_type: AnyToolType) -> SafeString:
    described = describe_type(tool_type)
    return format_html(
        '<p class="mb-2">{}</p>{}<details class="mt-2"><summary>{}</summary>{}</details>',
        described.description or described.label,
        _fields(described.config_schema),
        _("Arguments"),
        _fields(described.input_schema or {}),
    )


def all_types_help() -> SafeString:
    """Before a type is chosen."""
    rows = ((found.label, type_help(found)) for found in list_tool_types())
    return format_html_join(
        "", '<details class="mb-2"><summary>{}</summary><div class="p-2">{}</div></details>', rows
    )


def _fields(schema: JSON) -> SafeString:
    properties: dict[str, JSON] = schema.get("properties", {})
    if not properties:
        return format_html("<p>{}</p>", _("Nothing to set."))
    rows = (
        (name, _type(field, schema.get("$defs", {})), _default(field), field.get("description", ""))
        for name, field in properties.items()
    )
    body = format_html_join(
        "",
        f"<tr><td {_CELL}><code>{{}}</code></td><td {_CELL}>{{}}</td>"
        f"<td {_CELL}><code>{{}}</code></td><td {_CELL}>{{}}</td></tr>",
        rows,
    )
    head = format_html_join("", f"<th {_CELL}>{{}}</th>", ((name,) for name in _titles()))
    return format_html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>", head, body)


def _titles() -> list[str]:
    return [_("Field"), _("Kind"), _("Default"), _("Meaning")]


def _type(field: JSON, defs: JSON) -> str:
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return _type(defs[name], defs) if name in defs else name
    if "enum" in field:
        return " | ".join(map(str, field["enum"]))
    if "const" in field:
        return str(field["const"])
    if "anyOf" in field:
        return " | ".join(_type(option, defs) for option in field["anyOf"])
    if "items" in field and (of := _type(field["items"], defs)):
        return _("list of %(kind)s") % {"kind": of}
    return str(field.get("type", ""))


def _default(field: JSON) -> str:
    default: Any = field.get("default")
    return "" if default is None else json.dumps(default, ensure_ascii=False)
