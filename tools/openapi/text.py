"""A document's text to its values: JSON or YAML, counted while it is read.

Runs in the killable child, and so knows no Django. Of YAML only what JSON can say: text, numbers,
true, false, null (the core schema of YAML 1.2, so `no` and a date are texts), no tags.
"""

import json
import math
import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from config.base.storable import storable
from tools.bounded.failures import LIMIT, Refused
from tools.openapi.limits import MAX_CHARS, MAX_DEPTH, MAX_NODES

INVALID = "invalid"
_INTEGER = re.compile(r"[-+]?[0-9]{1,30}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("null", "Null", "NULL", "~", ""), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_CORE_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = (None, "!", f"{_CORE_TAG}str", f"{_CORE_TAG}int", f"{_CORE_TAG}float")


def parse(text: str) -> Any:
    """Raises `Refused`: `invalid` with where, `limit` when it is too large."""
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _of_json(text.removeprefix("\ufeff"))
    return _of_yaml(text)


# --- JSON ---


def _of_json(text: str) -> Any:
    try:
        value = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise Refused(INVALID, f"{error.msg} (line {error.lineno})") from None
    except ValueError as error:  # a number that is none, or has no end
        raise Refused(INVALID, str(error)) from None
    return _Counted().copy(value, 0)


def _refuse_constant(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


@dataclass(slots=True)
class _Counted:
    nodes: int = 0
    chars: int = 0

    def copy(self, value: Any, depth: int) -> Any:
        """With texts that any database can hold."""
        if depth > MAX_DEPTH:
            raise Refused(LIMIT, "depth")
        if isinstance(value, dict):
            self.add(1, 0)
            return {self.copy(key, 0): self.copy(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            self.add(1, 0)
            return [self.copy(item, depth + 1) for item in value]
        self.add(1, len(value) if isinstance(value, str) else 8)
        return storable(value) if isinstance(value, str) else value

    def add(self, nodes: int, chars: int) -> None:
        self.nodes += nodes
        self.chars += chars
        if self.nodes > MAX_NODES or self.chars > MAX_CHARS:
            raise Refused(LIMIT, "size")


# --- YAML ---


@dataclass(slots=True)
class _Made:
    """A value with what it costs, again for each alias of it."""

    value: Any
    nodes: int = 1
    chars: int = 0
    depth: int = 0

    def take(self, part: "_Made") -> None:
        self.nodes += part.nodes
        self.chars += part.chars
        self.depth = max(self.depth, part.depth + 1)


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read."""

    made: _Made
    anchor: str | None
    key: str | None = None
    merged: list[_Made] = field(default_factory=list)

    def put(self, part: _Made, text: str | None) -> None:
        """`text`: what a scalar was written as, for keys."""
        container = self.made.value
        if isinstance(container, list):
            self.made.take(part)
            container.append(part.value)
        elif self.key is None:
            if text is None:
                raise Refused(INVALID, "a key that is no text")
            self.key = text
        else:
            self.made.take(part)
            if self.key == "<<":
                self.merged.append(part)
            else:
                container[self.key] = part.value
            self.key = None

    def close(self) -> _Made:
        for part in self.merged:
            values = part.value if isinstance(part.value, list) else [part.value]
            for value in values:
                if not isinstance(value, dict):
                    raise Refused(INVALID, "a merge of what is no mapping")
                self.made.value = {**value, **self.made.value}
        return self.made


def _of_yaml(text: str) -> Any:
    try:
        return _Reader().read(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise Refused(INVALID, f"{getattr(error, 'problem', None) or 'no YAML'}{where}") from None


class _Reader:
    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, _Made] = {}
        self._root: _Made | None = None
        self._counted = _Counted()

    def read(self, text: str) -> Any:
        documents = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise Refused(INVALID, "more than one document")
            else:
                self._take(event)
        return self._root.value if self._root else None

    def _take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            text = storable(event.value)
            made = _Made(_scalar(event, text), chars=len(text))
            if event.anchor:
                self._anchors[event.anchor] = made
            self._put(made, text)
        elif isinstance(event, yaml.AliasEvent):
            self._put(self._aliased(event.anchor), None)
        elif isinstance(event, yaml.CollectionStartEvent):
            _check_tag(event)
            empty: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
            self._open.append(_Open(_Made(empty), event.anchor))
            if len(self._open) > MAX_DEPTH:
                raise Refused(LIMIT, "depth")
        elif isinstance(event, yaml.CollectionEndEvent):
            done = self._open.pop()
            made = done.close()
            if done.anchor:
                self._anchors[done.anchor] = made
            self._put(made, None)

    def _aliased(self, name: str | None) -> _Made:
        if name is None or name not in self._anchors:  # not there, or within itself
            raise Refused(INVALID, "an alias of what is not there")
        made = self._anchors[name]
        self._counted.add(made.nodes, made.chars)
        return made

    def _put(self, made: _Made, text: str | None) -> None:
        if text is not None:
            self._counted.add(1, made.chars)
        if len(self._open) + made.depth > MAX_DEPTH:
            raise Refused(LIMIT, "depth")
        if self._open:
            self._open[-1].put(made, text)
        else:
            self._root = made


def _check_tag(event: Any) -> None:
    if event.tag and not event.tag.startswith(_CORE_TAG):
        raise Refused(INVALID, f"the tag {event.tag}")
    if event.tag and event.tag.removeprefix(_CORE_TAG) not in {"map", "seq"}:
        raise Refused(INVALID, f"the tag {event.tag}")


def _scalar(event: Any, text: str) -> Any:
    if event.tag not in _SCALAR_TAGS:
        raise Refused(INVALID, f"the tag {event.tag}")
    if event.style or event.tag in {"!", f"{_CORE_TAG}str"}:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else text
    return text
