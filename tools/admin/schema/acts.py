"""Buttons that change a form and save nothing: a row more or less, another kind, up one place.

What a button says: `add config.sort`, `remove config.sort 2`, `rise config.sort 2`,
`show config.filter`, which any button does; whatever else only brings fields and text in step.
"""

from collections.abc import Iterable

from django.http import QueryDict

from tools.admin.schema.builder import Builder, name_in
from tools.admin.schema.fits import MAX_ROWS
from tools.admin.schema.nodes import Choice, Node, Rows
from tools.admin.schema.shapes import LEFT_OUT, Kind


def apply_act(act: str, nodes: list[Node], builder: Builder, data: QueryDict) -> QueryDict:
    """What the page would have sent if it had been as the button wants it."""
    verb, _space, rest = act.partition(" ")
    name, _space, row = rest.partition(" ")
    changed = data.copy()
    for node in _named(nodes, name):
        match verb, node:
            case "add", Rows() if node.takes_more and len(node.rows) < MAX_ROWS:
                _add(node, builder, changed)
            case "remove", Rows():
                changed.setlist(node.rows_name, [one for one in node.rows if one != row])
            case "rise", Rows() if row in node.rows:
                changed.setlist(node.rows_name, _risen(list(node.rows), row))
    return changed


def _all(nodes: Iterable[Node]) -> Iterable[Node]:
    return (node for top in nodes for node in top.walk())


def _named(nodes: Iterable[Node], name: str) -> list[Node]:
    return [node for node in _all(nodes) if node.name == name and isinstance(node, Rows)]


def _add(rows: Rows, builder: Builder, data: QueryDict) -> None:
    facts = (rows.shape, rows.name, rows.place, rows.secrets)
    row = str(max((int(one) for one in rows.rows), default=-1) + 1)
    if rows.shape.kind is Kind.OBJECT:
        made: Node = builder.group(facts, {})
    else:
        made = builder.row(facts, row, LEFT_OUT)
    data.appendlist(rows.rows_name, row)
    _fill(made, data)


def unshown_choices(nodes: list[Node]) -> list[Choice]:
    """Where another alternative was chosen than the one that the page had fields for."""
    choices = (node for node in _all(nodes) if isinstance(node, Choice))
    return [node for node in choices if node.kind is not None and node.is_other_than_shown]


def with_their_fields(choices: list[Choice], builder: Builder, data: QueryDict) -> QueryDict:
    """What both alternatives have stays as it was typed."""
    changed = data.copy()
    for choice in choices:
        shape = choice.shape.parts.variants[choice.kind or 0]
        changed[choice.shown_name] = choice.shown
        name = name_in(choice.name, shape)
        _fill(builder.of_value(shape, name, choice.place, LEFT_OUT), changed)
    return changed


def _fill(node: Node, data: QueryDict) -> None:
    missing = [(name, value) for name, value in node.sent() if name not in data]
    for name, value in missing:
        data.appendlist(name, value)


def _risen(rows: list[str], row: str) -> list[str]:
    at = rows.index(row)
    if at > 0:
        rows[at - 1], rows[at] = rows[at], rows[at - 1]
    return rows
