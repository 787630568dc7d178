"""What a part of a schema is to a form, and what an empty field says of it."""

import json
import re
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tools.admin.schema.reader import Inner


class Kind(Enum):
    FLAG = auto()
    INTEGER = auto()
    NUMBER = auto()
    TEXT = auto()
    LONG_TEXT = auto()
    CHOICE = auto()
    CHOICES = auto()
    LINES = auto()  # a list of strings
    PAIRS = auto()  # an object of strings
    SECRET = auto()  # a reference to one
    TEXT_OR_SECRET = auto()
    TEXT_OR_JSON = auto()
    JSON = auto()  # whatever no field of ours can hold
    OBJECT = auto()  # these four are made of others
    LIST = auto()
    MAP = auto()  # an object whose keys are not known
    UNION = auto()


MADE_OF_OTHERS = {Kind.OBJECT, Kind.LIST, Kind.MAP, Kind.UNION}
EXACT = {Kind.JSON, Kind.TEXT_OR_JSON}  # whatever is meant can be typed


class _LeftOut(Enum):
    LEFT_OUT = auto()


LEFT_OUT: Final = _LeftOut.LEFT_OUT  # a key that is not there; null is a value
_SHORT = re.compile(r"\b(url|api|id|json|html|http|csv)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`default` is what holds when the key is left out, LEFT_OUT where nobody says."""

    name: str
    kind: Kind
    title: str = ""  # of the schema, where several are offered
    description: str = ""
    required: bool = False
    nullable: bool = False
    default: Any = LEFT_OUT
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    is_tag: bool = False  # tells alternatives apart: written even where it is the default
    is_bare: bool = False  # a row, or an alternative that was chosen: an empty text is one
    inner: "Inner | None" = field(default=None, repr=False, compare=False)

    @property
    def label(self) -> str:
        words = self.name.replace("_", " ").strip().capitalize()
        return _SHORT.sub(lambda found: found[0].upper(), words) or self.name

    @property
    def may_be_absent(self) -> bool:
        return self.nullable or (not self.required and self.default in (LEFT_OUT, None))

    @property
    def parts(self) -> "Inner":
        assert self.inner is not None, "only of what is made of others"
        return self.inner

    def as_json_text(self) -> "Shape":
        return replace(self, kind=Kind.JSON)


def empty_value(shape: Shape) -> Any:
    """What a field says that has nothing in it."""
    if shape.kind not in EXACT and shape.nullable:
        return None if shape.required or shape.default is not LEFT_OUT else LEFT_OUT
    return shape.default


def value_of(shape: Shape, typed: Any) -> Any:
    """`typed` as its field has cleaned it."""
    if typed is LEFT_OUT:
        return empty_value(shape)
    if shape.kind in EXACT or not _is_nothing(typed):
        return typed
    if typed == "" and shape.is_bare and not shape.nullable:
        return typed
    if typed is None or shape.nullable or (not shape.required and shape.default is LEFT_OUT):
        return empty_value(shape)
    return LEFT_OUT if typed == "" and shape.required else typed


def completed(shape: Shape, value: Any) -> Any:
    """With what holds where it says nothing."""
    if shape.kind is not Kind.OBJECT or not isinstance(value, dict):
        return value
    parts = {part.name: part for part in shape.parts.properties}
    defaults = {name: part.default for name, part in parts.items() if part.default is not LEFT_OUT}
    whole = {**defaults, **value}
    return {k: completed(parts[k], held) if k in parts else held for k, held in whole.items()}


def _is_nothing(value: Any) -> bool:
    return value is None or value in ("", [], {})


def same(one: Any, other: Any) -> bool:
    """JSON's own idea: true is not 1."""
    if one is LEFT_OUT or other is LEFT_OUT:
        return one is other
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def to_text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
