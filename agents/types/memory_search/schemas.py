from datetime import datetime

from pydantic import Field

from agents.memories.recall import MOST
from tools.tool_type import ToolConfig, ToolInput, ToolOutput


class MemorySearchConfig(ToolConfig):
    max_results: int = Field(default=MOST, ge=1, le=MOST, description="So many memories at most.")
    max_query_chars: int = Field(
        default=2_000, ge=1, le=20_000, description="Longer questions are refused."
    )


class MemorySearchInput(ToolInput):
    query: str = Field(
        default="",
        description="What to recall, in the user's own words; empty: what matters most.",
    )


class Why(ToolOutput):
    words: list[str]  # of the query, that it has
    meaning: float | None  # how near it is to the query, up to 1; null: words alone were compared


class RecalledMemory(ToolOutput):
    id: str
    text: str
    subject: str
    importance: int
    visibility: str  # private, or company: of everybody in the project
    updated_at: datetime
    source_message_id: str | None
    why: Why


class MemorySearchOutput(ToolOutput):
    memories: list[RecalledMemory]
    evidence: bool  # false: nothing is remembered, and nothing may be made up
    note: str
