"""The arguments: one flat model, since models fill in flat ones best, judged by action."""

from functools import cache
from typing import Literal

from pydantic import Field, create_model, model_validator

from documents.tool.config import Action, DocumentConfig
from tools.tool_type import ToolInput

DEFAULT_PAGE_SIZE = 10
CHANGEABLE = ("title", "content", "summary", "tags")
_APPLIES = {
    "create": {"title", "content", "type", "summary", "tags"},
    "read": {
        *("id", "q", "filter_type", "tag", "page", "page_size"),
        *("full_content", "offset", "limit"),
    },
    "update": {"id", *CHANGEABLE, "expected_revision"},
    "delete": {"id", "expected_revision"},
    "list": {"filter_type", "q", "tag", "page", "page_size"},
}
_INSTEAD = {
    ("list", "type"): "filter_type",
    ("read", "type"): "filter_type",
    ("list", "tags"): "tag",
    ("read", "tags"): "tag",
    ("create", "filter_type"): "type",
}
_NOTHING: tuple[object, ...] = (None, "", [], False)

Kind = Literal["memory", "document"]


class DocumentInput(ToolInput):
    action: Action = Field(description="What to do.")
    id: str | None = Field(None, description="Of the document: for read, update and delete.")
    title: str | None = Field(None, description="One line, at most 255 characters.")
    content: str | None = Field(None, description="Markdown.")
    type: Kind | None = Field(
        None,
        description="For create. memory (default): your own notes; document: something for people.",
    )
    summary: str | None = Field(
        None, description="One or two sentences; the beginning of the content if left out."
    )
    tags: list[str] | str | None = Field(None, description="A list, or separated by commas.")
    expected_revision: int | None = Field(
        None, ge=1, description="The revision you read; needed to change the content."
    )
    q: str | None = Field(None, description="Words to look for, for read and list.")
    filter_type: Kind | None = Field(None, description="Only this type, for read and list.")
    tag: str | None = Field(None, description="Only with this tag, for read and list.")
    page: int | None = Field(None, ge=1, le=1_000_000, description="1 if left out.")
    page_size: int | None = Field(None, ge=1, description="10 if left out.")
    full_content: bool | None = Field(None, description="The text itself, not only its summary.")
    offset: int | None = Field(None, ge=0, description="First character of a part of the content.")
    limit: int | None = Field(None, ge=1, description="Characters of a part of the content.")

    @model_validator(mode="after")
    def _fits_the_action(self) -> "DocumentInput":
        given = {name for name in type(self).model_fields if getattr(self, name) not in _NOTHING}
        for name in sorted(given - _APPLIES[self.action] - {"action"}):
            hint = _INSTEAD.get((self.action, name))
            instead = f"; use `{hint}`" if hint else ""
            raise ValueError(f"`{name}` does not apply to {self.action}{instead}")
        self._has_what_it_needs()
        return self

    def _has_what_it_needs(self) -> None:
        match self.action:
            case "create":
                missing = [n for n in ("title", "content") if getattr(self, n) is None]
                if missing:
                    raise ValueError(f"create needs {' and '.join(missing)}")
            case "read" if not self.id and not (self.q or "").strip():
                raise ValueError("read needs id, or q to look for")
            case "update" if not self.id:
                raise ValueError("update needs id; list or read gives it")
            case "update" if all(getattr(self, name) is None for name in CHANGEABLE):
                raise ValueError("update needs at least one of title, content, summary, tags")
            case "delete" if not self.id:
                raise ValueError("delete needs id; list or read gives it")

    def changes(self) -> dict[str, object]:
        """What an update is to change."""
        values = {name: getattr(self, name) for name in CHANGEABLE}
        return {name: value for name, value in values.items() if value is not None}


def input_model(config: DocumentConfig) -> type[DocumentInput]:
    return _narrowed(config.max_page_size)


@cache
def _narrowed(max_page_size: int) -> type[DocumentInput]:
    default = min(DEFAULT_PAGE_SIZE, max_page_size)
    described = Field(
        None, ge=1, le=max_page_size, description=f"{default} if left out, {max_page_size} at most."
    )
    return create_model("DocumentInput", __base__=DocumentInput, page_size=(int | None, described))
