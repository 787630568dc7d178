"""Config, input and output of the tool type `json_query`."""

from typing import Any, Self

from django.utils.translation import gettext as _
from pydantic import Field, model_validator

from tools.tool_type import ToolConfig, ToolInput, ToolOutput

type JSONValue = dict[str, Any] | list[Any] | str | bool | int | float | None


class JsonQueryConfig(ToolConfig):
    max_json_chars: int = Field(
        default=200_000, ge=2, le=2_000_000, description="Longer JSON is refused."
    )
    max_expression_chars: int = Field(
        default=1_000, ge=1, le=4_000, description="Longer expressions are refused."
    )
    max_result_chars: int = Field(
        default=50_000,
        ge=2,
        le=1_000_000,
        description="A result longer than this as JSON is refused.",
    )
    timeout_ms: int = Field(
        default=2_000, ge=100, le=10_000, description="A query that runs longer is stopped."
    )


class JsonQueryInput(ToolInput):
    expression: str = Field(
        description="JMESPath, such as people[?age > `20`].name or sort_by(items, &price)[0]."
    )
    data: JSONValue = Field(default=None, description="The JSON value to look into.")
    text: str | None = Field(default=None, description="The same as JSON text, in place of data.")

    @model_validator(mode="after")
    def has_one_source(self) -> Self:
        if (self.data is None) == (self.text is None):
            raise ValueError(_("needs exactly one of: %(names)s") % {"names": "data, text"})
        return self


class JsonQueryOutput(ToolOutput):
    result: Any = Field(description="Null where the expression found nothing.")
