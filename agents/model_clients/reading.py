"""Making a reply of what the library gives, within bounds: no answer fills memory or the tables."""

import json
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from agents.model_clients.errors import ModelConfused, ModelFiltered, ModelTooMuch
from agents.model_clients.protocol import ModelReply, ToolRequest, Usage

MAX_REPLY_CHARS = 200_000  # text and arguments together
MAX_PIECES = 50_000  # of a stream; the library keeps each of them
MAX_CALLS = 32  # of one reply; the loop refuses most of these too, but each in a row of its own
_MAX_ID_LENGTH = 64
_MAX_NAME_LENGTH = 200


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class ReplyReader:
    """Adds up a stream piece by piece, or one whole answer. Raises `ModelError`s of its own."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: list[_Call] = []
        self._at: dict[Any, _Call] = {}  # by the stream's index
        self._size = self._pieces = 0
        self._finish = ""
        self.usage = Usage()

    @property
    def is_full(self) -> bool:
        """Nothing that follows would be looked at."""
        return len(self._calls) > MAX_CALLS

    def add_chunk(self, chunk: Any) -> str:
        """The text in it."""
        self._pieces += 1
        if self._pieces > MAX_PIECES:
            raise ModelTooMuch
        self._note_usage(chunk)
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self._finish = choice.finish_reason or self._finish
        for part in choice.delta.tool_calls or ():
            self._add_part(part)
        return self._add_text(choice.delta.content)

    def add_whole(self, response: Any) -> None:
        self._note_usage(response)
        if not response.choices:
            raise ModelConfused
        choice = response.choices[0]
        self._finish = choice.finish_reason or ""
        self._add_text(choice.message.content)
        for call in (choice.message.tool_calls or ())[: MAX_CALLS + 1]:
            self._begin(call)
            self._add_arguments(self._calls[-1], call.function.arguments)

    def so_far(self) -> ModelReply:
        """What has come, for estimates."""
        return ModelReply("".join(self._text), self._requests())

    def reply(self) -> ModelReply:
        text = "".join(self._text)
        if self._finish == "content_filter" and not text and not self._calls:
            raise ModelFiltered
        return ModelReply(text, self._requests(), self.usage, warnings=self._warnings())

    def _add_text(self, text: Any) -> str:
        if not isinstance(text, str) or not text:
            return ""
        self._count(text)
        self._text.append(text)
        return text

    def _add_part(self, part: Any) -> None:
        """Some servers number every call 0: another id is another call."""
        index = getattr(part, "index", None)
        call = self._at.get(index)
        if call is None or (part.id and call.id and part.id != call.id):
            self._begin(part)
            call = self._at[index] = self._calls[-1]
        else:
            call.name = call.name or part.function.name or ""
        self._add_arguments(call, part.function.arguments)

    def _begin(self, call: Any) -> None:
        self._count(call.function.name or "")
        self._count(call.id or "")
        self._calls.append(_Call(call.id or "", call.function.name or ""))

    def _add_arguments(self, call: _Call, raw: Any) -> None:
        if isinstance(raw, str) and raw:
            self._count(raw)
            call.arguments.append(raw)

    def _count(self, text: str) -> None:
        self._size += len(text)
        if self._size > MAX_REPLY_CHARS:
            raise ModelTooMuch

    def _note_usage(self, answer: Any) -> None:
        usage = getattr(answer, "usage", None)
        spent = Usage(
            _tokens(getattr(usage, "prompt_tokens", 0)),
            _tokens(getattr(usage, "completion_tokens", 0)),
        )
        if spent != Usage():
            self.usage = spent

    def _requests(self) -> tuple[ToolRequest, ...]:
        seen: set[str] = set()
        requests = []
        for number, call in enumerate(self._calls[:MAX_CALLS], start=1):
            raw = "".join(call.arguments)
            id_ = _own_id(call.id, number, seen)
            name = call.name[:_MAX_NAME_LENGTH]
            requests.append(ToolRequest(id_, name, parse_arguments(raw), raw))
        return tuple(requests)

    def _warnings(self) -> tuple[str, ...]:
        warnings = []
        if self._finish == "length":
            warnings.append(_("The model stopped at the length that it is allowed."))
        if self._finish == "content_filter":
            warnings.append(_("The model's provider filtered a part of the answer."))
        if self.is_full:
            warnings.append(
                _("The model asked for too many calls at once; the first %(most)s were looked at.")
                % {"most": MAX_CALLS}
            )
        return tuple(warnings)


def parse_arguments(raw: str) -> dict[str, Any] | None:
    """None: no JSON object, or one nested so deep that nobody reads it."""
    try:
        arguments = json.loads(raw or "{}")
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _own_id(id_: str, number: int, seen: set[str]) -> str:
    """Results are told apart by the call's id: two calls never share one."""
    own = id_[:_MAX_ID_LENGTH] or f"call_{number}"
    if own in seen:
        own = f"{own[:48]}_{number}"
    seen.add(own)
    return own


def _tokens(count: Any) -> int:
    return count if isinstance(count, int) and 0 < count < 10_000_000 else 0
