"""Configs of tool rows: validated on every save, and again when a call reads them."""

from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError

from tools.errors import InvalidToolConfig
from tools.registry import get_tool_type
from tools.schemas import JSON
from tools.tool_type import ToolConfig


def load_config(type_name: str, config: Any) -> ToolConfig:
    """Raises `UnknownToolType`, or `InvalidToolConfig` naming each field that does not fit."""
    tool_type = get_tool_type(type_name)
    if not isinstance(config, dict):
        raise InvalidToolConfig(_("The config is a JSON object."))
    try:
        return tool_type.config_model.model_validate(config)
    except ValidationError as error:
        raise InvalidToolConfig(describe_errors(error)) from error


def validated_config(type_name: str, config: Any) -> JSON:
    """The config as it is stored: what the caller gave, checked; defaults stay implicit."""
    loaded = load_config(type_name, config)
    return loaded.model_dump(mode="json", exclude_unset=True, by_alias=True)


def describe_errors(error: ValidationError) -> str:
    """One line for people and models: `url: Field required; size: Input should be …`."""
    parts = []
    for item in error.errors(include_url=False, include_input=False, include_context=False):
        place = ".".join(str(part) for part in item["loc"])
        message = str(item["msg"]).removeprefix("Value error, ")
        parts.append(f"{place}: {message}" if place else message)
    return "; ".join(parts)[:1000]
