"""What an operator may set."""

from typing import Literal

from pydantic import Field

from documents.texts import MAX_CONTENT_LENGTH, MAX_SUMMARY_LENGTH, SUMMARY_LENGTH
from tools.tool_type import ToolConfig

type Action = Literal["create", "read", "update", "delete", "list"]


class DocumentConfig(ToolConfig):
    max_content_length: int = Field(
        MAX_CONTENT_LENGTH, ge=1, le=1_000_000, description="Longest content, in characters."
    )
    default_summary_length: int = Field(
        SUMMARY_LENGTH,
        ge=1,
        le=MAX_SUMMARY_LENGTH,
        description="Length of a summary that is made for a document without one.",
    )
    token_budget: int = Field(
        2000, ge=1, le=1_000_000, description="What read and list may cost a model, in tokens."
    )
    max_page_size: int = Field(20, ge=1, le=100, description="Most documents on a page.")
    approval_required_actions: tuple[Action, ...] = Field(
        ("delete",), description="Actions that wait for a person."
    )
