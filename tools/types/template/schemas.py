"""Config, input and output of the tool type `template`."""

from typing import Any, Literal

from pydantic import Field

from tools.tool_type import ToolConfig, ToolInput, ToolOutput


class TemplateConfig(ToolConfig):
    max_template_chars: int = Field(
        default=20_000, ge=1, le=200_000, description="Longer templates are refused."
    )
    max_values_chars: int = Field(
        default=100_000,
        ge=2,
        le=1_000_000,
        description="Values longer than this as JSON are refused.",
    )
    max_output_chars: int = Field(
        default=100_000, ge=1, le=1_000_000, description="A template that gives more is stopped."
    )
    timeout_ms: int = Field(
        default=2_000, ge=100, le=10_000, description="A template that runs longer is stopped."
    )


class TemplateInput(ToolInput):
    template: str = Field(
        description="Jinja, such as Dear {{ name }},{% for i in items %}\n- {{ i }}{% endfor %}"
    )
    values: dict[str, Any] = Field(
        default_factory=dict, description="What the names of the template stand for."
    )
    undefined: Literal["error", "empty"] = Field(
        default="error", description="What a name without a value is."
    )
    escape: Literal["none", "html"] = Field(
        default="none", description="html: values are escaped for HTML, but for {{ x|safe }}."
    )


class TemplateOutput(ToolOutput):
    result: str
