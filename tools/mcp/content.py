"""What a tool answered, as a model and the API get it: text as it is, the rest described. Pure."""

from typing import Any

from django.utils.translation import gettext as _
from pydantic import BaseModel, Field

from config.base.hidden import visible
from tools.schemas import JSON

MAX_BLOCKS = 200
MAX_WORD = 300


class Attachment(BaseModel):
    """A block that is no text: what it is, not what is in it."""

    type: str
    name: str | None = None
    description: str | None = None
    mime_type: str | None = None
    uri: str | None = None
    size_bytes: int | None = None


class McpOutput(BaseModel):
    text: str = Field(description="Its blocks of text, one after the other.")
    structured: Any = Field(None, description="Its structured content, or null.")
    attachments: list[Attachment] = Field(
        default_factory=list, description="Images, audio and resources, described."
    )


def output_of(result: JSON) -> tuple[JSON, list[str]]:
    """`McpOutput` as JSON, and warnings about what is left out."""
    blocks = result.get("content")
    given = (
        [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    )
    texts = [text for block in given[:MAX_BLOCKS] if (text := _text_of(block)) is not None]
    others = [_described(block) for block in given[:MAX_BLOCKS] if block.get("type") != "text"]
    output = McpOutput(
        text="\n\n".join(texts), structured=result.get("structuredContent"), attachments=others
    )
    left_out = len(given) - MAX_BLOCKS
    warnings = [_("%(n)d more blocks were left out.") % {"n": left_out}] if left_out > 0 else []
    return output.model_dump(mode="json", exclude_none=True) | {
        "structured": output.structured
    }, warnings


def error_text(result: JSON, limit: int) -> str:
    """What a failed tool says, on which a model can act."""
    output, _warnings = output_of(result)
    return visible(output["text"], limit).strip()


def _text_of(block: JSON) -> str | None:
    """Also that of an embedded resource: it is text, and all that some tools answer."""
    held = block.get("resource") if block.get("type") == "resource" else block
    text = held.get("text") if isinstance(held, dict) else None
    return text if isinstance(text, str) and block.get("type") in ("text", "resource") else None


def _described(block: JSON) -> Attachment:
    resource = block.get("resource")
    held: JSON = resource if isinstance(resource, dict) else block
    data = held.get("data") or held.get("blob")
    size = len(data) * 3 // 4 if isinstance(data, str) else held.get("size")
    return Attachment(
        type=_word(block.get("type")) or "unknown",
        name=_word(held.get("title") or held.get("name")),
        description=_word(held.get("description")),
        mime_type=_word(held.get("mimeType")),
        uri=_word(held.get("uri")),
        size_bytes=size if isinstance(size, int) and 0 <= size < 2**53 else None,
    )


def _word(value: Any) -> str | None:
    return visible(value, MAX_WORD) if isinstance(value, str) and value else None
