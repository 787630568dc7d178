"""What a tool type is, for people and programs: its schemas, its risk, what it says of itself."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from tools.registry import AnyToolType, list_tool_types
from tools.schemas import JSON
from tools.tool_type import ToolConfig


@dataclass(frozen=True, slots=True)
class TypeDescription:
    """`input_schema` and `description` are those of a row with nothing configured, or with the
    first of the config model's `examples` where something must be; else None. `annotations`: the
    worst that any config allows."""

    name: str
    label: str
    config_schema: JSON
    input_schema: JSON | None
    description: str | None
    annotations: JSON | None
    log_payload: str
    roles: list[str] | None
    needs_set_up: bool
    first_party: bool
    default_timeout_seconds: float


def describe_type(tool_type: AnyToolType) -> TypeDescription:
    example = example_config(tool_type)
    bare: dict[str, Any] = {"input_schema": None, "description": None, "annotations": None}
    if example is not None:
        config = example.config
        bare = {
            "input_schema": tool_type.input_model(config).model_json_schema(),
            "description": tool_type.description(config),
            "annotations": tool_type.worst(config).as_json(),
        }
    return TypeDescription(
        name=tool_type.name,
        label=str(tool_type.label),
        config_schema=tool_type.config_model.model_json_schema(),
        log_payload=tool_type.log_payload.value,
        roles=None if tool_type.roles is None else sorted(tool_type.roles),
        needs_set_up=tool_type.needs_set_up,
        first_party=tool_type.first_party,
        default_timeout_seconds=tool_type.default_timeout_seconds,
        **bare,
    )


def describe_types() -> list[TypeDescription]:
    return [describe_type(tool_type) for tool_type in list_tool_types()]


@dataclass(frozen=True, slots=True)
class ExampleConfig:
    """`given` is what has to be written down; the rest are defaults."""

    given: JSON
    config: ToolConfig


def example_config(tool_type: AnyToolType) -> ExampleConfig | None:
    """A config that such a row could have; None where its type shows none."""
    model = tool_type.config_model
    for given in ({}, *model.model_json_schema().get("examples", ())):
        try:
            return ExampleConfig(given, model.model_validate(given))
        except ValidationError:
            continue
    return None
