"""Schemas of a document to those that arguments are judged by: JSON Schema 2020-12, self-contained.

What 3.0 says in its own words (`nullable`, a boolean `exclusiveMinimum`) is said in 2020-12's.
What only describes, or only holds for answers (`readOnly`), is left out: a model reads the rest
with every request. Recursive schemas stay so: references lead to `$defs`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from tools.json_schemas.described_input import UnusableSchema, described_input
from tools.openapi.errors import DocumentTooLarge, OperationUnusable
from tools.openapi.limits import (
    DESCRIPTION_CHARS,
    MAX_CONVERTED_NODES,
    MAX_DEFINITIONS,
    MAX_PATTERNS,
    MAX_SCHEMA_DEPTH,
)
from tools.openapi.pointers import References, pointer_of
from tools.openapi.words import in_one_line
from tools.schemas import JSON
from tools.types.http_api.config import MAX_SCHEMA_CHARS

type Schema = JSON | bool

_SCHEMA = frozenset(
    {
        *("not", "items", "additionalProperties", "contains", "propertyNames", "if", "then"),
        *("else", "unevaluatedItems", "unevaluatedProperties"),
    }
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_MAPS = frozenset({"properties", "patternProperties", "dependentSchemas"})
_DATA = frozenset(
    {
        *("type", "enum", "const", "format", "multipleOf", "maximum", "minimum", "maxLength"),
        *("exclusiveMaximum", "exclusiveMinimum", "minLength", "pattern", "maxItems", "minItems"),
        *("uniqueItems", "maxContains", "minContains", "maxProperties", "minProperties"),
        *("required", "dependentRequired", "default"),
    }
)
_UNKNOWN_HERE = ("$dynamicRef", "$recursiveRef")
_ODD = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_DEFAULT = 200


@dataclass(frozen=True, slots=True)
class Converted:
    schema: Schema
    pointers: tuple[str, ...]  # what it leads to
    size_chars: int


@dataclass(slots=True)
class Schemas:
    """All of one document; each component is converted once."""

    references: References
    _names: dict[str, str] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)
    _components: dict[str, Converted] = field(default_factory=dict)
    _patterns: dict[str, bool] = field(default_factory=dict)
    _nodes: int = 0

    def convert(self, schema: Any) -> Converted:
        """Raises `OperationUnusable`, and `DocumentTooLarge` for all of them together."""
        pointers: dict[str, None] = {}
        made = self._schema(schema, pointers, 0)
        return Converted(made, tuple(pointers), len(json.dumps(made)))

    def definitions(self, converted: Iterable[Converted]) -> dict[str, JSON]:
        """Everything that these lead to, by its name in `$defs`."""
        first = list(converted)
        size = sum(one.size_chars for one in first)
        waiting = [pointer for one in first for pointer in one.pointers]
        found: dict[str, Converted] = {}
        while waiting:
            pointer = waiting.pop()
            if pointer in found:
                continue
            found[pointer] = one = self._component(pointer)
            size += one.size_chars
            if len(found) > MAX_DEFINITIONS or size > MAX_SCHEMA_CHARS:
                raise OperationUnusable(
                    "too_large", _("Its arguments are described at too great a length.")
                )
            waiting += one.pointers
        return {self._name(pointer): _as_object(one.schema) for pointer, one in found.items()}

    def _component(self, pointer: str) -> Converted:
        if pointer not in self._components:
            self._components[pointer] = self.convert(self.references.at(pointer))
        return self._components[pointer]

    def _name(self, pointer: str) -> str:
        if pointer not in self._names:
            plain = _ODD.sub("_", pointer.rpartition("/")[2])[:60] or "schema"
            name, number = plain, 2
            while name in self._taken:
                name, number = f"{plain}_{number}", number + 1
            self._taken.add(name)
            self._names[pointer] = name
        return self._names[pointer]

    # --- One schema ---

    def _schema(self, schema: Any, pointers: dict[str, None], depth: int) -> Schema:
        self._count()
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or depth > MAX_SCHEMA_DEPTH:
            raise OperationUnusable(
                "schema_unusable", _("A schema is no object, or nested too deeply.")
            )
        if any(word in schema for word in _UNKNOWN_HERE):
            raise OperationUnusable("schema_unusable", _("Dynamic references are not followed."))
        made: JSON = {}
        reference = schema.get("$ref")
        if isinstance(reference, str):
            pointer = pointer_of(reference)
            pointers[pointer] = None
            made["$ref"] = f"#/$defs/{self._name(pointer)}"
        made |= dict(self._keywords(_without_answers(schema, self.references), pointers, depth))
        made |= _described(schema)
        made = _with_exclusive_limits(made)
        return _or_null(made) if schema.get("nullable") is True else made

    def _keywords(
        self, schema: JSON, pointers: dict[str, None], depth: int
    ) -> Iterator[tuple[str, Any]]:
        for told, value in schema.items():
            # A list of items is what the drafts before 2020-12 called it.
            word = "prefixItems" if told == "items" and isinstance(value, list) else told
            if word in _SCHEMA:
                yield word, self._schema(value, pointers, depth + 1)
            elif word in _LISTS and isinstance(value, list):
                yield word, [self._schema(item, pointers, depth + 1) for item in value]
            elif word in _MAPS and isinstance(value, dict):
                named = value.items()
                yield word, {k: self._schema(v, pointers, depth + 1) for k, v in named}
            elif word in _DATA and self._is_kept(word, value):
                yield word, value

    def _is_kept(self, word: str, value: Any) -> bool:
        """What is no word of a schema here, or too much of one, is the API's own to check."""
        if word == "enum":
            self._count(len(value) if isinstance(value, list) else 0)
        if word == "pattern":
            return isinstance(value, str) and self._can_match(value)
        if word == "required":
            return isinstance(value, list) and bool(value)
        return word != "default" or len(json.dumps(value)) <= _LONGEST_DEFAULT

    def _can_match(self, pattern: str) -> bool:
        """Looking around and back is more than runs in linear time, and to compile one may take
        milliseconds."""
        if pattern not in self._patterns and len(self._patterns) >= MAX_PATTERNS:
            return False
        if pattern not in self._patterns:
            schema = {"type": "object", "properties": {"a": {"pattern": pattern}}}
            try:
                described_input(schema)
            except UnusableSchema:
                self._patterns[pattern] = False
            else:
                self._patterns[pattern] = True
        return self._patterns[pattern]

    def _count(self, nodes: int = 1) -> None:
        self._nodes += nodes
        if self._nodes > MAX_CONVERTED_NODES:
            raise DocumentTooLarge(_("All its operations together are described at too great a "
                                     "length; import a part of the document."))  # fmt: skip


def _as_object(schema: Schema) -> JSON:
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    return schema


def _described(schema: JSON) -> JSON:
    told = {
        "title": in_one_line(schema.get("title"), 80),
        "description": in_one_line(schema.get("description"), DESCRIPTION_CHARS),
    }
    return {word: text for word, text in told.items() if text}


def _without_answers(schema: JSON, references: References) -> JSON:
    """Properties that only the API sets can't be given."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    read_only = {name for name, value in properties.items() if _is_read_only(value, references)}
    if not read_only:
        return schema
    required = schema.get("required")
    return {
        **schema,
        "properties": {k: v for k, v in properties.items() if k not in read_only},
        "required": [name for name in required if name not in read_only]
        if isinstance(required, list)
        else [],
    }


def _is_read_only(schema: Any, references: References) -> bool:
    if not isinstance(schema, dict):
        return False
    if schema.get("readOnly") is True:
        return True
    if "$ref" not in schema:
        return False
    try:
        return references.resolve(schema).get("readOnly") is True
    except OperationUnusable:
        return False  # said where it is converted


# --- What 3.0 says otherwise ---


def _or_null(schema: JSON) -> JSON:
    kind = schema.get("type")
    if isinstance(kind, str) and "$ref" not in schema and not _has_choices(schema):
        made = {**schema, "type": [kind, "null"]}
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            made["enum"] = [*schema["enum"], None]
        return made
    if isinstance(kind, list) and "null" in kind:
        return schema
    said: JSON = {word: schema.pop(word) for word in ("title", "description") if word in schema}
    return {"anyOf": [schema, {"type": "null"}], **said}


def _has_choices(schema: JSON) -> bool:
    return any(word in schema for word in ("allOf", "anyOf", "oneOf", "not", "const"))


def _with_exclusive_limits(schema: JSON) -> JSON:
    for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        told = schema.get(exclusive)
        if told is True and limit in schema:
            schema[exclusive] = schema.pop(limit)
        elif isinstance(told, bool):
            del schema[exclusive]
    return schema
