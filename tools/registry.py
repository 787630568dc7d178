"""Which tool types are installed: fixed once the apps are loaded.

An app adds types in `<app>/tool_types.py`, found the way `admin.py` is.
"""

from typing import Any

from django.utils.module_loading import autodiscover_modules

from tools.errors import UnknownToolType
from tools.tool_type import ToolType

type AnyToolType = ToolType[Any, Any]

_types: dict[str, AnyToolType] = {}


def register(tool_type: type[AnyToolType]) -> type[AnyToolType]:
    """Class decorator. A name taken by another class is an error at start-up."""
    present = _types.get(tool_type.name)
    if present is not None and type(present) is not tool_type:
        raise ValueError(f"two tool types are called {tool_type.name!r}")
    _types[tool_type.name] = tool_type()
    return tool_type


def discover() -> None:
    autodiscover_modules("tool_types")


def get_tool_type(name: str) -> AnyToolType:
    """Raises `UnknownToolType` with the names that are known."""
    try:
        return _types[name]
    except KeyError:
        known = ", ".join(sorted(_types))
        raise UnknownToolType(f"There is no tool type {name!r}. Known: {known}.") from None


def find_tool_type(name: str) -> AnyToolType | None:
    return _types.get(name)


def list_tool_types() -> list[AnyToolType]:
    return [_types[name] for name in sorted(_types)]
