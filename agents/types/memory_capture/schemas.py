from typing import Final, Literal

from pydantic import Field

from agents.models.memory import (
    LEAST_IMPORTANCE,
    MAX_SUBJECT_LENGTH,
    MAX_TEXT_LENGTH,
    MOST_IMPORTANCE,
    USUAL_IMPORTANCE,
)
from tools.tool_type import ToolConfig, ToolInput, ToolOutput

THIS: Final = "this"
ALL: Final = "all"
PRIVATE: Final = "private"
COMPANY: Final = "company"
REPLACE: Final = "replace"
KEEP_BOTH: Final = "keep_both"
UNDECIDED: Final = ""


class MemoryCaptureConfig(ToolConfig):
    max_chars: int = Field(
        default=MAX_TEXT_LENGTH,
        ge=1,
        le=MAX_TEXT_LENGTH,
        description="Longer memories are refused.",
    )


class MemoryCaptureInput(ToolInput):
    text: str = Field(
        description="One fact or wish, in one sentence that says by itself what it is about."
    )
    subject: str = Field(
        default="",
        max_length=MAX_SUBJECT_LENGTH,
        description="Whom or what it is about, in a word or two, where that is not the user.",
    )
    importance: int = Field(
        default=USUAL_IMPORTANCE,
        ge=LEAST_IMPORTANCE,
        le=MOST_IMPORTANCE,
        description="How much it matters to the user; the greater is recalled first.",
    )
    layer: Literal["session", "long_term"] = Field(
        default="long_term",
        description="`session`: only as long as this conversation goes on.",
    )
    agents: Literal["this", "all"] = Field(
        default=THIS, description="Whether only you may recall it, or all agents of the user."
    )
    visibility: Literal["", "private", "company"] = Field(
        default=UNDECIDED, description="Leave it out: the user chooses."
    )
    if_similar: Literal["", "replace", "keep_both"] = Field(
        default=UNDECIDED, description="Leave it out: the user chooses."
    )


class MemoryCaptureOutput(ToolOutput):
    id: str
    status: str  # active, or pending: an operator decides on what all in a project may know
    visibility: str
    replaced: str | None
