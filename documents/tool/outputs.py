"""The results, one shape an action."""

from datetime import datetime
from typing import Literal

from pydantic import RootModel

from tools.tool_type import ToolOutput


class Created(ToolOutput):
    id: str
    title: str
    type: str
    revision: int
    created_at: datetime


class Updated(ToolOutput):
    id: str
    title: str
    revision: int
    updated_at: datetime
    unchanged: bool = False


class Deleted(ToolOutput):
    id: str
    deleted: Literal[True]


class Item(ToolOutput):
    """A document without its content; the content too where it was asked for and fits."""

    id: str
    title: str
    summary: str
    summary_cut: bool | None = None
    type: str
    tags: list[str]
    revision: int
    updated_at: datetime
    content_length: int
    content: str | None = None
    offset: int | None = None
    has_more_content: bool | None = None
    next_offset: int | None = None
    hint: str | None = None


class One(Item):
    created_at: datetime


class Page(ToolOutput):
    items: list[Item]
    total: int
    page: int
    page_size: int
    has_more: bool
    next_page: int | None = None


class DocumentOutput(RootModel[Created | Updated | Deleted | One | Page]):
    """Which one follows from the action."""
