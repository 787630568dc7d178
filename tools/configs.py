"""Configs of tool rows: validated on every save, and again when a call reads them."""

from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError

from config.base.storable import is_storable
from tools.errors import InvalidToolConfig
from tools.registry import get_tool_type
from tools.schemas import JSON
from tools.tool_type import ToolConfig


def load_config(type_name: str, config: Any) -> ToolConfig:
    """Raises `UnknownToolType`, or `InvalidToolConfig` naming each field that does not fit.

    Its `details["fields"]` maps them (`timeout_ms`, `allowed_domains.0`) to what is wrong.
    """
    tool_type = get_tool_type(type_name)
    if not isinstance(config, dict):
        raise InvalidToolConfig(_("The config is a JSON object."))
    if not is_storable(config):
        raise InvalidToolConfig(_("Characters that no text can hold, or nested too deeply."))
    try:
        return tool_type.config_model.model_validate(config)
    except ValidationError as error:
        raise InvalidToolConfig(describe_errors(error), fields=field_errors(error)) from error


def validated_config(type_name: str, config: Any) -> JSON:
    """The config as it is stored: what the caller gave, checked; defaults stay implicit."""
    loaded = load_config(type_name, config)
    return loaded.model_dump(mode="json", exclude_unset=True, by_alias=True)


def describe_errors(error: ValidationError) -> str:
    """One line for people and models: `url: Field required; size: Input should be …`."""
    found = field_errors(error).items()
    return "; ".join(f"{place}: {what}" if place else what for place, what in found)[:1000]


def field_errors(error: ValidationError) -> dict[str, str]:
    """Place (`url`, `headers.accept`; "" for the whole) to message."""
    return {
        ".".join(str(part) for part in item["loc"]): str(item["msg"]).removeprefix("Value error, ")
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    }
