"""Arguments that a tool wants in headers too (`x-mcp-header`, 2026-07-28). Pure."""

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from config.base.outbound.headers import TOKEN
from tools.schemas import JSON

KEY = "x-mcp-header"
MAX_DEPTH = 20
_PLAIN = re.compile(r"[\x20-\x7e]*")
_TYPES = ("string", "integer", "boolean")
_DATA = frozenset({"default", "examples", "const", "enum"})

type Path = tuple[str, ...]


def header_params(schema: JSON) -> dict[Path, str]:
    """Path of an argument to the header's name. Raises `ValueError` where the rules are broken."""
    found = dict(_along_properties(schema, ()))
    if len(found) != _count(schema, 0):
        raise ValueError(_("A header (x-mcp-header) stands where no argument is."))
    if len({name.lower() for name in found.values()}) != len(found):
        raise ValueError(_("Two arguments want the same header (x-mcp-header)."))
    return {path: f"mcp-param-{name.lower()}" for path, name in found.items()}


def param_headers(schema: JSON, arguments: Mapping[str, Any]) -> dict[str, str]:
    """Those of the arguments that are given; null is not."""
    found = {name: _value_at(arguments, path) for path, name in header_params(schema).items()}
    return {name: header_value(value) for name, value in found.items() if _is_scalar(value)}


def header_value(value: Any) -> str:
    """As a header can carry it; else in base64, and marked so."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    looks_encoded = text.startswith("=?base64?") and text.endswith("?=")
    if _PLAIN.fullmatch(text) and text == text.strip() and not looks_encoded:
        return text
    encoded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    return f"=?base64?{encoded}?="


def _along_properties(schema: Any, path: Path) -> Iterator[tuple[Path, str]]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or len(path) >= MAX_DEPTH:
        return
    for name, held in properties.items():
        if isinstance(held, dict) and KEY in held:
            yield (*path, name), _checked(held)
        yield from _along_properties(held, (*path, name))


def _checked(held: JSON) -> str:
    name = held[KEY]
    if not isinstance(name, str) or not TOKEN.fullmatch(name) or len(name) > 100:
        raise ValueError(_("What an argument gives as its header (x-mcp-header) is no name."))
    if held.get("type") not in _TYPES:
        raise ValueError(_("Only text, integers and booleans go into headers (x-mcp-header)."))
    return name


def _count(schema: Any, depth: int, *, names: bool = False) -> int:
    """How often it is used anywhere in the schema; `names`: the keys here name properties."""
    if depth > 2 * MAX_DEPTH:
        return 0
    if isinstance(schema, list):
        return sum(_count(item, depth + 1) for item in schema)
    if not isinstance(schema, dict):
        return 0
    inner = sum(
        _count(item, depth + 1, names=key in ("properties", "$defs") and not names)
        for key, item in schema.items()
        if names or key not in _DATA
    )
    return inner + (1 if KEY in schema and not names else 0)


def _value_at(arguments: Any, path: Path) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, Mapping) else None
    return arguments


def _is_scalar(value: Any) -> bool:
    return isinstance(value, str | int | bool)
