"""How a config names a secret instead of holding its value."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

NAME = r"^[a-z0-9][a-z0-9_-]{0,49}$"


class SecretRef(BaseModel):
    """`{"secret": "name"}`: resolved when a call is made, for that secret's hosts only."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    secret: str = Field(pattern=NAME, description="Name of a secret of the console.")


type TextOrSecret = str | SecretRef


def is_reference(value: Any) -> bool:
    return (
        isinstance(value, dict) and value.keys() == {"secret"} and isinstance(value["secret"], str)
    )


def is_written_reference(text: Any) -> bool:
    """A reference as somebody types it."""
    if not isinstance(text, str) or not text.startswith("{"):
        return False
    try:
        return is_reference(json.loads(text))
    except (ValueError, RecursionError):
        return False


def secret_names(config: Any) -> set[str]:
    """Those that a config names, as JSON: also of a type that is not installed any more."""
    return set(_names(config))


def _names(value: Any) -> Iterator[str]:
    if is_reference(value):
        yield value["secret"]
    elif isinstance(value, dict):
        for item in value.values():
            yield from _names(item)
    elif isinstance(value, list):
        for item in value:
            yield from _names(item)
