"""Config, input and output of the tool type `text`."""

from typing import Annotated, Literal, NotRequired, TypedDict

from pydantic import Field

from tools.operations import OperationInput
from tools.tool_type import ToolConfig, ToolOutput
from tools.types.text.operation_table import OPERATION_ARGUMENTS, OperationName

type Case = Literal["upper", "lower", "title", "fold"]


class TextConfig(ToolConfig):
    max_text_chars: int = Field(
        default=100_000,
        ge=1,
        le=1_000_000,
        description="Longer texts are refused, and longer results; matches are cut there.",
    )
    max_matches: int = Field(
        default=1_000,
        ge=1,
        le=10_000,
        description="More matches are left out of an extract, and refused by replace and split.",
    )
    max_pattern_chars: int = Field(
        default=1_000, ge=1, le=10_000, description="Longer patterns are refused."
    )
    pattern_timeout_ms: int = Field(
        default=2_000,
        ge=100,
        le=10_000,
        description="A pattern or a diff that runs longer is stopped.",
    )


class TextInput(OperationInput):
    """One flat object; each operation takes its own part of it and refuses the rest."""

    operations = OPERATION_ARGUMENTS

    operation: OperationName = Field(description="What to do; it says which arguments it takes.")
    text: str = Field(description="The text to work on.")
    other: str | None = Field(default=None, description="diff: the new text.")
    pattern: str | None = Field(
        default=None, description="Regular expression (Python's), such as (\\w+)@(?P<host>\\S+)."
    )
    find: str | None = Field(default=None, description="Plain text to look for, in place of one.")
    replacement: str | None = Field(default=None, description="replace: empty to delete.")
    group: int | str | None = Field(
        default=None, description="extract: number or name of the only group wanted."
    )
    count: Annotated[int, Field(ge=1)] | None = Field(
        default=None, description="At most so many matches, from the start."
    )
    ignore_case: bool | None = Field(
        default=None, description="Whether upper and lower case are the same."
    )
    case: Case | None = Field(
        default=None, description="fold makes texts comparable, whatever their case."
    )
    context: Annotated[int, Field(ge=0, le=1_000)] | None = Field(
        default=None, description="diff: unchanged lines around each change; 3."
    )


class Counts(TypedDict):
    characters: int
    characters_without_spaces: int
    words: int
    lines: int
    bytes: int


class Match(TypedDict):
    text: str
    start: int
    groups: NotRequired[list[str | None]]
    named: NotRequired[dict[str, str | None]]


class TextOutput(ToolOutput):
    result: str | Counts | list[str] | list[Match]
