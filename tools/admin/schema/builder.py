"""Makes the tree of a page's fields: of a value, or of what a page sent."""

from typing import Any
from urllib.parse import quote

from django.http import QueryDict
from django.utils.translation import gettext as _

from tools.admin.schema.fits import variant_of
from tools.admin.schema.nodes import Choice, Group, Leaf, Node, Rows, Tag
from tools.admin.schema.reader import is_large
from tools.admin.schema.secret_fields import Names
from tools.admin.schema.shapes import LEFT_OUT, MADE_OF_OTHERS, Kind, Shape


def inner_name(name: str, part: str) -> str:
    """No property can be mistaken for what is inside of another."""
    return f"{name}.{quote(part, safe='').replace('.', '%2E')}"


class Builder:
    def __init__(self, secrets: Names) -> None:
        self._secrets = secrets

    def of_value(self, shape: Shape, name: str, place: str, value: Any) -> Node:
        shape = shape.as_json_text() if is_large(shape) else shape
        facts = (shape, name, place, self._secrets)
        if value is LEFT_OUT:
            value = shape.default
        match shape.kind:
            case Kind.OBJECT if shape.may_be_absent:
                present = {"0": value} if isinstance(value, dict) else {}
                return self._rows(facts, {row: self.group(facts, v) for row, v in present.items()})
            case Kind.OBJECT:
                return self.group(facts, value)
            case Kind.LIST | Kind.MAP:
                return self._rows_of(facts, value)
            case Kind.UNION:
                return self._choice(facts, value)
        return Tag(*facts) if _is_tag(shape) else Leaf(*facts, value=value)

    def group(self, facts: Any, value: Any) -> Node:
        _shape, name, place, _secrets = facts
        held = value if isinstance(value, dict) else {}
        parts = [
            self.of_value(
                part,
                inner_name(name, part.name),
                _within(place, part.label),
                held.get(part.name, LEFT_OUT),
            )
            for part in facts[0].parts.properties
        ]
        return Group(*facts, parts=parts)

    def _rows(self, facts: Any, rows: dict[str, Node], keys: dict[str, str] | None = None) -> Node:
        return Rows(*facts, rows=rows, keys=keys or {})

    def _rows_of(self, facts: Any, value: Any) -> Node:
        listed = value if isinstance(value, list) else []
        held = list(value.items() if isinstance(value, dict) else enumerate(listed))
        rows = {str(n): self.row(facts, str(n), one) for n, (_key, one) in enumerate(held)}
        return self._rows(facts, rows, {str(n): str(key) for n, (key, _one) in enumerate(held)})

    def row(self, facts: Any, row: str, value: Any) -> Node:
        shape, name, place, _secrets = facts
        where = _row_place(shape, place, int(row) + 1)
        return self.of_value(shape.parts.item, f"{name}.{row}", where, value)

    def _choice(self, facts: Any, value: Any) -> Node:
        shape, name, place, _secrets = facts
        kind = None if value is LEFT_OUT or value is None else variant_of(shape, value)
        node = None
        if kind is not None:
            variant = shape.parts.variants[kind]
            node = self.of_value(variant, name_in(name, variant), place, value)
        return Choice(*facts, kind=kind, shown=None, node=node)

    # --- Of what was sent ---

    def of_data(self, shape: Shape, name: str, place: str, data: QueryDict) -> Node:
        shape = shape.as_json_text() if is_large(shape) else shape
        facts = (shape, name, place, self._secrets)
        match shape.kind:
            case Kind.OBJECT if shape.may_be_absent:
                rows = _rows_in(data, name)[:1]
                return self._rows(facts, {row: self._sent_group(facts, data) for row in rows})
            case Kind.OBJECT:
                return self._sent_group(facts, data)
            case Kind.LIST | Kind.MAP:
                rows = _rows_in(data, name)
                made = {
                    row: self.of_data(
                        shape.parts.item, f"{name}.{row}", _row_place(shape, place, n), data
                    )
                    for n, row in enumerate(rows, start=1)
                }
                keys = {row: data.get(f"{name}.{row}:key", "") for row in rows}
                return self._rows(facts, made, keys)
            case Kind.UNION:
                return self._sent_choice(facts, data)
        return Tag(*facts) if _is_tag(shape) else Leaf(*facts)

    def _sent_group(self, facts: Any, data: QueryDict) -> Node:
        shape, name, place, _secrets = facts
        parts = [
            self.of_data(part, inner_name(name, part.name), _within(place, part.label), data)
            for part in shape.parts.properties
        ]
        return Group(*facts, parts=parts)

    def _sent_choice(self, facts: Any, data: QueryDict) -> Node:
        shape, name, place, _secrets = facts
        sent, variants = data.get(f"{name}:kind", ""), shape.parts.variants
        kind = int(sent) if sent.isdecimal() and int(sent) < len(variants) else None
        node = None
        if kind is not None:
            node = self.of_data(variants[kind], name_in(name, variants[kind]), place, data)
        return Choice(*facts, kind=kind, shown=data.get(f"{name}:shown"), node=node)


def _is_tag(shape: Shape) -> bool:
    return shape.is_tag and len(shape.choices) == 1


def name_in(name: str, variant: Shape) -> str:
    """A single field needs a name that is not that of the whole."""
    return name if variant.kind in MADE_OF_OTHERS else f"{name}:value"


def _rows_in(data: QueryDict, name: str) -> list[str]:
    rows = dict.fromkeys(data.getlist(f"{name}:rows"))
    return [row for row in rows if row.isdecimal() and len(row) < 6]


def _row_place(shape: Shape, place: str, number: int) -> str:
    where = _within(place, str(number))
    return _within(where, _("Value")) if shape.kind is Kind.MAP else where


def _within(place: str, part: str) -> str:
    return f"{place} › {part}"
