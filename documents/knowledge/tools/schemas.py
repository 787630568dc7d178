"""Config, input and output of `knowledge_search` and `knowledge_resource`."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from documents.knowledge.searching import MOST, USUAL
from tools.tool_type import ToolConfig, ToolInput, ToolOutput

MAX_WORDS = 200


class KnowledgeSearchConfig(ToolConfig):
    max_results: int = Field(default=USUAL, ge=1, le=MOST, description="So many passages at most.")
    max_query_chars: int = Field(
        default=2_000, ge=1, le=20_000, description="Longer questions are refused."
    )


class KnowledgeSearchInput(ToolInput):
    query: str = Field(description="The question, in the user's own words.")
    limit: int | None = Field(default=None, ge=1, le=MOST, description="Fewer passages.")
    space: str = Field(
        default="",
        max_length=MAX_WORDS,
        description="Words of a space's name, where the user named one.",
    )
    resource: str = Field(
        default="",
        max_length=MAX_WORDS,
        description="Words of a file's title or name, where the user named one.",
    )


class Citation(ToolOutput):
    """Where an answer stands: give it with each sentence that is taken from it."""

    resource_id: str
    title: str
    space: str
    passage: int
    page: int | None
    heading: str
    quote: str
    url: str


class KnowledgeSearchOutput(ToolOutput):
    status: Literal["COMPLETED", "NO_EVIDENCE"]
    citations: list[Citation]
    note: str


class KnowledgeResourceConfig(ToolConfig):
    max_results: int = Field(default=5, ge=1, le=MOST, description="So many files at most.")


class KnowledgeResourceInput(ToolInput):
    query: str = Field(
        default="",
        max_length=MAX_WORDS,
        description="Words of the file's title, of its name, or of what it is about.",
    )
    resource_id: str = Field(
        default="", max_length=36, description="An id from a citation or an earlier result."
    )
    earlier: bool = Field(
        default=False,
        description="true: the file from before, which this conversation was about last.",
    )


class ResourceFacts(ToolOutput):
    resource_id: str
    title: str
    file_name: str
    space: str
    type: str
    size_bytes: int
    pages: int | None
    state: str
    uploaded_at: datetime
    url: str
    download_url: str


class KnowledgeResourceOutput(ToolOutput):
    status: Literal["COMPLETED", "NEEDS_INPUT", "NO_EVIDENCE"]
    resources: list[ResourceFacts]
    note: str
