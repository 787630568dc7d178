"""What calls of a tool would look like to the gates before anybody has made one."""

from collections.abc import Iterator

from tools.configs import load_config
from tools.errors import InvalidToolConfig, ToolFailure, UnknownToolType
from tools.gates import PreparedCall
from tools.models import Tool
from tools.registry import get_tool_type
from tools.schemas import Plan
from tools.tool_type import USES_APART, ToolInput


def foreseen_call(tool: Tool, use: str = "") -> PreparedCall:
    """The one of this use, or, where it has none of the name, the worst of all. Raises as
    `foreseen_calls`.
    """
    calls = dict(foreseen_calls(tool))
    named = (call for names, call in calls.items() if use and use in names.split(USES_APART))
    worst = max(calls.values(), key=lambda call: call.annotations.risk)
    return next(named, worst)


def foreseen_calls(tool: Tool) -> Iterator[tuple[str, PreparedCall]]:
    """For each use of the tool, by its name, a call at its worst: without arguments, and with a
    plan that names nothing, as no gate judges by more than what the type says of it.

    Raises `ToolFailure` for a tool that nobody could call.
    """
    try:
        tool_type, config = get_tool_type(tool.type), load_config(tool.type, tool.config)
    except (UnknownToolType, InvalidToolConfig) as error:
        raise ToolFailure(error.message, code=error.code) from error
    for use, annotations in tool_type.uses(config).items():
        yield (
            use,
            PreparedCall(
                tool=tool,
                tool_type=tool_type,
                config=config,
                arguments=ToolInput(),
                annotations=annotations,
                plan=Plan(arguments={}, title=tool.name, risk=annotations.risk),
            ),
        )
