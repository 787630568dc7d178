"""A property that is made of others, as one field of the form: it shows those that are in it."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from tools.admin.schema.fields import help_for
from tools.admin.schema.nodes import Choice, Group, Node, Rows, Tag


class StructureWidget(forms.Widget):
    """Knows its form when there is one: see `show_in`."""

    form: forms.BaseForm | None = None
    use_fieldset = True

    def __init__(self, node: Node) -> None:
        super().__init__()
        self.node = node

    def __deepcopy__(self, memo: Any) -> "StructureWidget":
        return self

    def value_from_datadict(self, data: Any, files: Any, name: str) -> None:
        return None

    def id_for_label(self, id_: str) -> str:
        return ""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        assert self.form is not None
        part, _dot, _rest = name.partition(".")
        context = {"node": _shown(self.node, self.form), "act": f"{part}:act", "root": True}
        return mark_safe(render_to_string("admin/tools/structure.html", context))  # noqa: S308  (our template)


class StructureField(forms.Field):
    def __init__(self, node: Node) -> None:
        super().__init__(
            required=False,
            label=node.label,
            help_text=help_for(node.shape),
            widget=StructureWidget(node),
        )


def show_in(form: forms.BaseForm) -> None:
    for field in form.fields.values():
        if isinstance(field.widget, StructureWidget):
            field.widget.form = form


def _shown(node: Node, form: forms.BaseForm) -> dict[str, Any]:
    about = {"name": node.name, "id": f"id_{node.name}", "label": node.label, "help": node.help}
    match node:
        case Group():
            return {
                **about,
                "kind": "group",
                "parts": [_shown(part, form) for part in node.parts if not isinstance(part, Tag)],
            }
        case Rows():
            return {
                **about,
                "kind": "rows",
                "rows_name": node.rows_name,
                "takes_more": node.takes_more,
                "is_one": not node.takes_more or not _has_several(node),
                "rows": list(_rows(node, form)),
            }
        case Choice():
            return {
                **about,
                "kind": "choice",
                "chosen": form[node.kind_name],
                "shown_name": node.shown_name,
                "shown": node.shown,
                "node": _shown(node.node, form) if node.node else None,
            }
    return {**about, "kind": "leaf", "field": form[node.name]}


def _has_several(node: Rows) -> bool:
    return node.shape.kind.name in ("LIST", "MAP")


def _rows(node: Rows, form: forms.BaseForm) -> Iterator[dict[str, Any]]:
    for number, (row, inner) in enumerate(node.rows.items()):
        yield {
            "row": row,
            "key": form[node.key_name(row)] if node.has_keys else None,
            "node": _shown(inner, form),
            "may_rise": number > 0 and node.shape.kind.name == "LIST",
        }
