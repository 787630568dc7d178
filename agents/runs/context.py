"""The context budget: what a model is sent at most, what gives way first, and who is told.

Oldest tool results are summarised first, then oldest messages left out, then the newest results
cut; the person's newest message never. The model reads what is missing and how to read on; the
person gets a warning.
"""

import json
from dataclasses import dataclass, replace
from functools import lru_cache

from django.conf import settings
from django.utils.translation import gettext as _

from agents.model_clients.protocol import ChatMessage, ModelRequest, ToolDefinition
from agents.model_clients.resolve import profiles_for
from agents.models import Agent
from agents.runs.cutting import cut_result
from documents.tokens import estimate_tokens

_PER_MESSAGE = 4  # tokens of role and separators
_SUMMARY_TOKENS = 80
_LEAST_RESULT_TOKENS = 200

_SUMMARISED = (
    "An older result, shortened to fit the context. To read it again call {tool} again, if that "
    "call only reads."
)
_CUT = "Too long for the context, so it was cut. Call {tool} again for the part that you need."
_EARLIER = "(Earlier messages of this conversation were left out to fit the context.)"


@dataclass(frozen=True, slots=True)
class Fitted:
    request: ModelRequest
    notices: tuple[str, ...] = ()  # for the person, in their language


def context_tokens(agent: Agent) -> int:
    """The smallest context of the models that may be asked: its profile's and its fallbacks'."""
    if agent.model_profile_id is None:
        limit: int = settings.CONTEXT_TOKENS
        return limit
    return min(profile.context_tokens for profile in profiles_for(agent))


def size_bytes(request: ModelRequest) -> int:
    """Of all that is sent. No text has more tokens than bytes, whatever the tokenizer."""
    return sum(len(_text_of(message).encode()) for message in request.messages) + sum(
        len(_definition_text(tool).encode()) for tool in request.tools
    )


def fit(request: ModelRequest, *, tokens: int) -> Fitted:
    """The request within so many tokens, by our estimate."""
    if size_bytes(request) <= tokens:
        return Fitted(request)
    fitting = _Fitting(request, tokens)
    fitting.cut_results_longer_than(fitting.room // 2)
    fitting.summarise_old_results()
    fitting.leave_out_old_messages()
    fitting.cut_newest_results()
    return fitting.fitted()


class _Fitting:
    def __init__(self, request: ModelRequest, tokens: int) -> None:
        self.request = request
        self.messages: list[ChatMessage] = list(request.messages)
        self.sizes = [_size(message) for message in self.messages]
        tools = sum(_tokens(_definition_text(tool)) for tool in request.tools)
        self.room = max(tokens - tools, 0)
        self.notices: dict[str, None] = {}  # in order, each once

    @property
    def missing(self) -> int:
        return sum(self.sizes) - self.room

    def fitted(self) -> Fitted:
        if self.missing > 0:
            self._note(_("This is longer than the model's context is set to hold."))
        messages = tuple(
            message for message in self.messages if message.content or _speaks(message)
        )
        return Fitted(replace(self.request, messages=messages), tuple(self.notices))

    # --- What gives way, in this order ---

    def cut_results_longer_than(self, tokens: int) -> None:
        for index in self._results():
            if self.sizes[index] > max(tokens, _LEAST_RESULT_TOKENS):
                self._cut(index, max(tokens, _LEAST_RESULT_TOKENS), _CUT)

    def summarise_old_results(self) -> None:
        newest = self._newest_step()
        for index in self._results():
            if self.missing <= 0 or index > newest:
                return
            if self.sizes[index] > _SUMMARY_TOKENS * 2:
                self._cut(index, _SUMMARY_TOKENS, _SUMMARISED)

    def leave_out_old_messages(self) -> None:
        asked = self._newest_question()
        note = ChatMessage("system", _EARLIER)
        left_out = False
        for index in range(1, asked):
            if self.missing + (0 if left_out else _size(note)) <= 0:
                return
            self._replace(index, ChatMessage("system", "") if left_out else note)
            left_out = True
            self._note(_("Earlier messages were left out to fit the model's context."))

    def cut_newest_results(self) -> None:
        newest = [index for index in self._results() if index > self._newest_step()]
        if self.missing <= 0 or not newest:
            return
        others = sum(self.sizes) - sum(self.sizes[index] for index in newest)
        share = max((self.room - others) // len(newest), _LEAST_RESULT_TOKENS)
        for index in newest:
            if self.sizes[index] > share:
                self._cut(index, share, _CUT)

    # --- Where things stand ---

    def _results(self) -> list[int]:
        return [n for n, message in enumerate(self.messages) if message.role == "tool"]

    def _newest_step(self) -> int:
        """Of the last message that asked for calls; what it asked for comes after it."""
        asking = [n for n, message in enumerate(self.messages) if message.tool_calls]
        return asking[-1] if asking else len(self.messages)

    def _newest_question(self) -> int:
        asked = [n for n, message in enumerate(self.messages) if message.role == "user"]
        return asked[-1] if asked else 1

    def _tool_of(self, index: int) -> str:
        """Ids are the model's own and may come again in another step: the nearest counts."""
        wanted = self.messages[index].tool_call_id
        for message in reversed(self.messages[:index]):
            for call in message.tool_calls:
                if call.id == wanted:
                    return call.name
        return "the tool"

    # --- Changes ---

    def _cut(self, index: int, tokens: int, note: str) -> None:
        message = self.messages[index]
        content = cut_result(
            message.content, tokens=tokens, note=note.format(tool=self._tool_of(index))
        )
        if len(content) < len(message.content):
            self._replace(index, replace(message, content=content))
            self._note(_("Tool results were shortened to fit the model's context."))

    def _replace(self, index: int, message: ChatMessage) -> None:
        self.messages[index], self.sizes[index] = message, _size(message)

    def _note(self, text: str) -> None:
        self.notices[text] = None


def _speaks(message: ChatMessage) -> bool:
    """Nothing but an emptied one is dropped: a model may call tools, or answer, without a word."""
    return message.role != "system"


def _size(message: ChatMessage) -> int:
    text = _text_of(message)
    return _tokens(text) + _PER_MESSAGE if text else 0


def _text_of(message: ChatMessage) -> str:
    calls = "".join(f"{call.name} {call.raw_arguments}" for call in message.tool_calls)
    return message.content + calls


def _definition_text(tool: ToolDefinition) -> str:
    return f"{tool.name} {tool.description} {json.dumps(tool.parameters, ensure_ascii=False)}"


@lru_cache(maxsize=128)  # a turn's later steps send its earlier ones again
def _tokens(text: str) -> int:
    return estimate_tokens(text)
