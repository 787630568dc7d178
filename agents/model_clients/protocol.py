"""The model client: what the tool loop needs of a language model, and nothing more.

Three implementations: `rules` (offline default), `litellm`, and the scripted one in
`agents.testing`. One contract suite runs over all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

type JSON = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call that the model asks for. `arguments` is None when they were no JSON object."""

    id: str
    name: str
    arguments: JSON | None
    raw_arguments: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of the prompt. A `tool` message answers the request `tool_call_id`.

    The content of a `tool` message is JSON text: `{"success": true, "data": {…}}` or
    `{"success": false, "error": {"code", "message"}}`.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolRequest, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A function that the model may call: the tool's slug, what it does, its JSON Schema."""

    name: str
    description: str
    parameters: JSON
    type: str = ""  # the tool type; hosted models never see it, `rules` goes by it


@dataclass(frozen=True, slots=True)
class ModelRequest:
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolDefinition, ...] = ()
    language: str = "en"
    time_zone: str = "UTC"
    timeout_seconds: float | None = None  # a limit below the client's own
    max_output_tokens: int | None = None  # the same


@dataclass(frozen=True, slots=True)
class Usage:
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False  # counted by us, because the server did not say


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole reply: text, calls, or both (text before calls is kept).

    `model`: who gave it; `warnings`: what people should know of it, in their language;
    `unfollowed`: a skill said how to answer, and this is no such answer.
    """

    text: str = ""
    tool_calls: tuple[ToolRequest, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    warnings: tuple[str, ...] = ()
    unfollowed: bool = False


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class Restarted:
    """The text so far is void: the model is asked anew, because it broke off."""


type StreamItem = TextDelta | Restarted | ModelReply  # at the end exactly one whole reply


class ModelClient(Protocol):
    """Both methods raise `ModelError` and nothing else."""

    def complete(self, request: ModelRequest) -> ModelReply: ...

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]: ...
