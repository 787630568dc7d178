"""What can be said of a call before anything is looked up: its type, config and arguments fit."""

from django.utils.translation import gettext as _
from pydantic import ValidationError

from config.base.storable import is_storable
from tools.configs import describe_errors, load_config
from tools.errors import InvalidToolConfig, ToolFailure, UnknownToolType
from tools.models import Tool
from tools.registry import AnyToolType, get_tool_type
from tools.schemas import JSON
from tools.tool_type import ToolConfig, ToolInput


def validate_call(tool: Tool, arguments: JSON) -> tuple[AnyToolType, ToolConfig, ToolInput]:
    """Raises `ToolFailure` with the code that the caller is told."""
    try:
        tool_type = get_tool_type(tool.type)
        config = load_config(tool.type, tool.config)
    except (UnknownToolType, InvalidToolConfig) as error:
        raise ToolFailure(error.message, code=error.code) from error
    if not is_storable(arguments):
        message = _("Characters that no text can hold, or nested too deeply.")
        raise ToolFailure(message, code="invalid_arguments")
    try:
        parsed = tool_type.input_model(config).model_validate(arguments)
    except ValidationError as error:
        raise ToolFailure(describe_errors(error), code="invalid_arguments") from error
    return tool_type, config, parsed
