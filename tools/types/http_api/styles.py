"""How OpenAPI writes values into a path, a query, a header or a cookie (3.1, 4.8.12). Pure."""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

type Encode = Callable[[str], str]
type Pair = tuple[str, str]

_SEPARATORS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def encoded(text: str) -> str:
    """Everything but what a URL never has to escape. Raises `UnicodeEncodeError`."""
    return quote(text, safe="")


def text_of(value: Any) -> str:
    """One that holds others, where none is expected, is JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def in_path(name: str, value: Any, style: str, *, explode: bool, encode: Encode = encoded) -> str:
    """Also of a header, with style `simple` and an `encode` that changes nothing."""
    prefix, between = {"simple": ("", ","), "label": (".", "."), "matrix": (";", ";")}[style]
    separator = between if explode else ","
    if isinstance(value, dict):
        text = separator.join(_members(value, encode, "=" if explode else ","))
        named = style == "matrix" and not explode
    else:
        items = value if isinstance(value, list) else [value]
        each = f"{encode(name)}=" if style == "matrix" and explode else ""
        text = separator.join(f"{each}{encode(text_of(item))}" for item in items)
        named = style == "matrix" and not explode
    return f"{prefix}{encode(name)}={text}" if named else f"{prefix}{text}"


def _members(value: dict[str, Any], encode: Encode, joined: str) -> Iterator[str]:
    for key, item in value.items():
        yield f"{encode(key)}{joined}{encode(text_of(item))}"


def in_query(name: str, value: Any, style: str, *, explode: bool) -> Iterator[Pair]:
    """Pairs that are encoded already."""
    if style == "deepObject":
        yield from _deep(encoded(name), value)
    elif isinstance(value, dict) and explode:
        yield from ((encoded(key), encoded(text_of(item))) for key, item in value.items())
    elif isinstance(value, dict):
        yield encoded(name), _SEPARATORS[style].join(_members(value, encoded, _SEPARATORS[style]))
    elif isinstance(value, list) and explode:
        yield from ((encoded(name), encoded(text_of(item))) for item in value)
    elif isinstance(value, list):
        yield encoded(name), _SEPARATORS[style].join(encoded(text_of(item)) for item in value)
    else:
        yield encoded(name), encoded(text_of(value))


def _deep(name: str, value: Any) -> Iterator[Pair]:
    """`filter[owner][name]=x`; what lists are in it is not said, each item by itself is usual."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _deep(f"{name}%5B{encoded(key)}%5D", item)
    elif isinstance(value, list):
        for item in value:
            yield from _deep(name, item)
    else:
        yield name, encoded(text_of(value))


def as_query(pairs: list[Pair]) -> str:
    return "&".join(f"{name}={text}" for name, text in pairs)
