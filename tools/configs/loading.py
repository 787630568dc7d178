"""Reading a config, and what is wrong with it."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext as _
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.base.storable import is_storable
from tools.errors import InvalidToolConfig
from tools.registry import get_tool_type
from tools.schemas import JSON
from tools.secrets.refs import secret_names
from tools.secrets.use import unknown_secrets
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
        fields = field_errors(error, known=list(tool_type.config_model.model_fields))
        raise InvalidToolConfig(_in_one_line(fields), fields=fields) from error


def validated_config(type_name: str, config: Any) -> JSON:
    """The config as it is stored: what the caller gave, checked; defaults stay implicit.

    The secrets that it names are there. Raises as `load_config`.
    """
    loaded = load_config(type_name, config)
    stored = loaded.model_dump(mode="json", exclude_unset=True, by_alias=True)
    missing = unknown_secrets(secret_names(stored))
    if missing:
        message = _("There is no secret “%(name)s”.")
        raise InvalidToolConfig(message % {"name": "”, “".join(missing)})
    return stored


def describe_errors(error: ValidationError) -> str:
    """One line for people and models: `url: Field required; size: Input should be …`."""
    return _in_one_line(field_errors(error))


def field_errors(error: ValidationError, *, known: Sequence[str] = ()) -> dict[str, str]:
    """Place (`url`, `headers.accept`; "" for the whole) to message.

    `known` are the names of the outermost fields: an unknown one may be one of them, misspelt.
    """
    return {
        ".".join(str(part) for part in item["loc"]): _message(item, known)
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    }


def _message(item: ErrorDetails, known: Sequence[str]) -> str:
    if item["type"] != "extra_forbidden":
        return item["msg"].removeprefix("Value error, ")
    close = get_close_matches(str(item["loc"][-1]).lower(), known, n=1)
    if len(item["loc"]) == 1 and close:
        return _("Unknown key; did you mean %(name)s?") % {"name": close[0]}
    return _("Unknown key")


def _in_one_line(fields: dict[str, str]) -> str:
    return "; ".join(f"{place}: {what}" if place else what for place, what in fields.items())[:1000]
