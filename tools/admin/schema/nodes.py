"""The fields of one page, as a tree: what a schema is made of, with the rows that are there now.

Names in the form: `config.sort` a property, `config.sort.0.column` what stands in its first row,
`config.sort:rows` the rows in their order, `config.filter:kind` which alternative was chosen.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from tools.admin.schema.fields import field_for, help_for
from tools.admin.schema.fits import variant_of
from tools.admin.schema.kind_words import kind_words
from tools.admin.schema.secret_fields import Names
from tools.admin.schema.shapes import (
    EXACT,
    LEFT_OUT,
    Kind,
    Shape,
    completed,
    empty_value,
    is_json,
    same,
    to_text,
    value_of,
)

type Typed = Mapping[str, Any]  # name in the form to what its field has cleaned
type Sent = Iterator[tuple[str, str]]


class Node(ABC):
    """`place` is where it stands, for people: “Sort, 1, Column”."""

    def __init__(self, shape: Shape, name: str, place: str, secrets: Names) -> None:
        self.shape = shape
        self.name = name
        self.place = place
        self.secrets = secrets

    @property
    def label(self) -> str:
        return self.place.rpartition(" › ")[2]

    @property
    def help(self) -> str:
        return help_for(self.shape)

    def children(self) -> list["Node"]:
        return []

    def own_fields(self) -> Iterator[tuple[str, forms.Field]]:
        yield from ()

    @abstractmethod
    def made(self, typed: Typed, known: Any) -> Any:
        """The value that its fields say, or LEFT_OUT."""

    @abstractmethod
    def find(self, path: str) -> tuple[str, str]:
        """For `0.column`: the name of a field, and what of the path is within that."""

    def sent(self) -> Sent:
        """What a browser sends of it as it is shown at first."""
        for child in self.children():
            yield from child.sent()

    # --- What all have in common ---

    def walk(self) -> Iterator["Node"]:
        yield self
        for child in self.children():
            yield from child.walk()

    def fields(self) -> Iterator[tuple[str, forms.Field]]:
        for node in self.walk():
            for name, field in node.own_fields():
                field.place = node.place  # type: ignore[attr-defined]  # for the list of errors
                yield name, field

    def read(self, typed: Typed, before: Any) -> Any:
        """As `made`; `before` itself where that is what is meant, with or without its defaults."""
        known = self.shape.default if before is LEFT_OUT else before
        value = self.made(typed, known)
        if same(value, known):
            return before
        is_default = same(completed(self.shape, value), completed(self.shape, self.shape.default))
        return LEFT_OUT if is_default else value


class Leaf(Node):
    def __init__(self, *facts: Any, value: Any = LEFT_OUT) -> None:
        super().__init__(*facts)
        self._value = value

    def own_fields(self) -> Iterator[tuple[str, forms.Field]]:
        field = field_for(self.shape, self.secrets)
        field.label = self.label
        field.initial = self._initial()
        yield self.name, field

    def _initial(self) -> Any:
        shape = self.shape
        value = shape.default if self._value is LEFT_OUT else self._value
        if value is LEFT_OUT or (
            value is None and (shape.kind not in EXACT or shape.default is None)
        ):
            return {Kind.FLAG: None, Kind.CHOICES: []}.get(shape.kind, "")
        match shape.kind:
            case Kind.LINES:
                return "\n".join(value or ())
            case Kind.PAIRS:
                return "\n".join(f"{key}: {text}" for key, text in (value or {}).items())
            case Kind.JSON:
                return to_text(value)
            case Kind.TEXT_OR_JSON:
                return value if _stays_text(value) else to_text(value)
        return value

    def sent(self) -> Sent:
        for name, field in self.own_fields():
            yield from _as_sent(name, field)

    def made(self, typed: Typed, _known: Any) -> Any:
        return value_of(self.shape, typed[self.name])

    def find(self, path: str) -> tuple[str, str]:
        where = _("item %(n)d") % {"n": int(path) + 1} if path.isdigit() else path
        return self.name, where


class Tag(Node):
    """Says which alternative it stands in, which has been chosen already."""

    def made(self, _typed: Typed, _known: Any) -> Any:
        return self.shape.choices[0]

    def find(self, path: str) -> tuple[str, str]:
        return self.name, path


def _stays_text(value: Any) -> bool:
    """When it is typed as it is."""
    is_text = isinstance(value, str) and value.strip() != "" and "\r" not in value
    return is_text and not is_json(value)


def _as_sent(name: str, field: forms.Field) -> Sent:
    value = field.prepare_value(field.initial)
    if isinstance(field.widget, forms.MultiWidget):
        for n, part in enumerate(field.widget.decompress(field.initial) or ()):
            yield f"{name}_{n}", str(part)
    elif isinstance(value, list | tuple):
        yield from ((name, str(item)) for item in value)
    elif isinstance(field.widget, forms.CheckboxInput):
        yield from [(name, "on")] if value else []
    elif value is not None:
        yield name, str(value)


class Group(Node):
    """An object whose keys are known."""

    def __init__(self, *facts: Any, parts: list[Node]) -> None:
        super().__init__(*facts)
        self.parts = parts

    def children(self) -> list[Node]:
        return self.parts

    def made(self, typed: Typed, known: Any) -> Any:
        is_new = not isinstance(known, dict)
        made = {}
        for part in self.parts:
            key = part.shape.name
            value = part.read(typed, LEFT_OUT if is_new else known.get(key, LEFT_OUT))
            if part.shape.is_tag and is_new:
                value = part.made(typed, LEFT_OUT)
            if value is not LEFT_OUT:
                made[key] = value
        return made

    def find(self, path: str) -> tuple[str, str]:
        found = [part for part in self.parts if _begins(path, part.shape.name)]
        if not found:
            return self.name, path
        part = max(found, key=lambda one: len(one.shape.name))
        if isinstance(part, Tag):
            return self.name, path
        return part.find(path[len(part.shape.name) + 1 :])


def _begins(path: str, name: str) -> bool:
    return path == name or path.startswith(f"{name}.")


class Rows(Node):
    """A list; an object whose keys are not known; or an object that may be left out: one row."""

    def __init__(self, *facts: Any, rows: dict[str, Node], keys: dict[str, str]) -> None:
        super().__init__(*facts)
        self.rows = rows
        self._keys = keys

    @property
    def rows_name(self) -> str:
        return f"{self.name}:rows"

    @property
    def has_keys(self) -> bool:
        return self.shape.kind is Kind.MAP

    @property
    def takes_more(self) -> bool:
        return self.shape.kind is not Kind.OBJECT or not self.rows

    def children(self) -> list[Node]:
        return list(self.rows.values())

    def key_name(self, row: str) -> str:
        return f"{self.name}.{row}:key"

    def own_fields(self) -> Iterator[tuple[str, forms.Field]]:
        for row in self.rows if self.has_keys else ():
            attrs = {"spellcheck": "false", "autocomplete": "off", "autocapitalize": "off"}
            field = forms.CharField(
                label=_("Name"),
                required=True,
                widget=UnfoldAdminTextInputWidget(attrs=attrs),
                error_messages={"required": _("Give it a name, or remove it.")},
            )
            field.initial = self._keys.get(row, "")
            yield self.key_name(row), field

    def sent(self) -> Sent:
        for row, node in self.rows.items():
            yield self.rows_name, row
            if self.has_keys:
                yield self.key_name(row), self._keys.get(row, "")
            yield from node.sent()

    def made(self, typed: Typed, known: Any) -> Any:
        if self.shape.kind is Kind.OBJECT:
            return self._one(typed, known)
        value: Any = self._map(typed, known) if self.has_keys else self._list(typed, known)
        return value if value or not self.shape.may_be_absent else empty_value(self.shape)

    def _one(self, typed: Typed, known: Any) -> Any:
        for node in self.rows.values():
            return node.made(typed, known)
        return empty_value(self.shape)

    def _list(self, typed: Typed, known: Any) -> list[Any]:
        held = known if isinstance(known, list) else []
        rows = (
            node.read(typed, held[int(row)] if int(row) < len(held) else LEFT_OUT)
            for row, node in self.rows.items()
        )
        return [None if value is LEFT_OUT else value for value in rows]

    def _map(self, typed: Typed, known: Any) -> dict[str, Any]:
        held = known if isinstance(known, dict) else {}
        made = {}
        for row, node in self.rows.items():
            key = typed[self.key_name(row)]
            value = node.read(typed, held.get(key, LEFT_OUT))
            made[key] = None if value is LEFT_OUT else value
        return made

    def repeated_keys(self, typed: Typed) -> Iterator[str]:
        """The names of those fields that say what another has said before them."""
        seen = set()
        for row in self.rows if self.has_keys else ():
            key = typed.get(self.key_name(row))
            if key is not None and key in seen:
                yield self.key_name(row)
            seen.add(key)

    def find(self, path: str) -> tuple[str, str]:
        if self.shape.kind is Kind.OBJECT:
            return next((node.find(path) for node in self.rows.values()), (self.name, path))
        for n, (row, node) in enumerate(self.rows.items()):
            begins = self._keys[row].strip() if self.has_keys else str(n)
            if begins and _begins(path, begins):
                return node.find(path[len(begins) + 1 :])
        return self.name, path


class Choice(Node):
    """Alternatives, of which one is shown; `shown` is what the page that is sent back showed."""

    def __init__(self, *facts: Any, kind: int | None, shown: str | None, node: Node | None) -> None:
        super().__init__(*facts)
        self.kind = kind
        self.node = node
        self._shown = shown

    @property
    def kind_name(self) -> str:
        return f"{self.name}:kind"

    @property
    def shown_name(self) -> str:
        return f"{self.name}:shown"

    @property
    def shown(self) -> str:
        return "" if self.kind is None else str(self.kind)

    @property
    def is_other_than_shown(self) -> bool:
        return self._shown is not None and self._shown != self.shown

    def children(self) -> list[Node]:
        return [self.node] if self.node else []

    def own_fields(self) -> Iterator[tuple[str, forms.Field]]:
        names = [kind_words(one) for one in self.shape.parts.variants]
        blank = [("", "–")] if self.shape.may_be_absent or self.shape.required else []
        field = forms.ChoiceField(
            label=_("Kind"),
            required=False,
            choices=[*blank, *((str(n), name) for n, name in enumerate(names))],
            widget=UnfoldAdminSelectWidget,
        )
        field.initial = self.shown
        yield self.kind_name, field

    def sent(self) -> Sent:
        yield self.kind_name, self.shown
        yield self.shown_name, self.shown
        yield from super().sent()

    def made(self, typed: Typed, known: Any) -> Any:
        if self.node is None:
            return empty_value(self.shape)
        was = None if known is LEFT_OUT else variant_of(self.shape, known)
        return self.node.made(typed, known if was == self.kind else LEFT_OUT)

    def find(self, path: str) -> tuple[str, str]:
        """Errors name the alternative, too: as its model, its tag or its type."""
        if self.node is None:
            return self.kind_name, path
        name, rest = self.node.find(path)
        _tag, dot, inner = path.partition(".")
        if rest == path and dot:
            name, rest = self.node.find(inner)
        return name, rest
