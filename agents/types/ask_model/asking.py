"""Asking once, and once more when the answer does not fit its schema."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from agents.model_clients.errors import (
    ModelConfused,
    ModelError,
    ModelFiltered,
    ModelRefused,
    ModelRepeats,
    ModelTimeout,
    ModelTooMuch,
)
from agents.model_clients.protocol import ModelClient, ModelReply, ModelRequest
from agents.runs.asides import ask_aside
from agents.types.ask_model.prompt import asked_again
from config.base.actor import Actor
from config.base.storable import is_storable, storable
from documents.tokens import estimate_tokens
from tools.bounded.failures import LIMIT, Refused
from tools.bounded.limit_messages import limit_failure
from tools.bounded.parent import run_bounded
from tools.errors import ToolFailure
from tools.schemas import JSON

CHARS_PER_TOKEN = 8  # of an answer that is cut because its server goes on beyond its limit
_CHECKING = "agents.types.ask_model.checking"
_CODES: tuple[tuple[type[ModelError], str], ...] = (
    (ModelTimeout, "timeout"),
    (ModelConfused, "model_answer_invalid"),
    (ModelTooMuch, "model_answer_invalid"),
    (ModelRepeats, "model_answer_invalid"),
    (ModelFiltered, "model_refused"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One call of the tool: who asks whom, until when, and who may stop it."""

    actor: Actor
    client: ModelClient
    request: ModelRequest
    deadline: float  # of time.monotonic()
    look_up: Callable[[], None]

    def ask(self) -> ModelReply:
        """Raises `ToolFailure`, `BudgetExceeded`, and what `look_up` raises."""
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise ToolFailure(_("The model took too long."), code="timeout")
        request = replace(self.request, timeout_seconds=seconds)
        try:
            reply = ask_aside(
                self.actor, self.client, request, seconds=seconds, look_up=self.look_up
            )
        except ModelError as error:
            raise _failure(error) from error
        masked: Callable[[str], str] = getattr(self.client, "masked", str)
        return replace(reply, text=storable(masked(reply.text)).strip())

    def ask_text(self) -> ModelReply:
        reply = self.ask()
        if not reply.text:
            raise ToolFailure(_("The model gave no answer."), code="model_answer_invalid")
        most = (self.request.max_output_tokens or 0) * CHARS_PER_TOKEN
        if len(reply.text) <= most:
            return reply
        warning = _("The answer was longer than is allowed and was cut.")
        return replace(reply, text=reply.text[:most], warnings=(*reply.warnings, warning))

    def ask_json(self, schema: JSON) -> tuple[ModelReply, Any]:
        """With the value, which fits. Raises `ToolFailure` when it does not the second time."""
        _check("check_schema", schema=schema)
        reply, errors, value = self._try(schema)
        if errors:
            messages = asked_again(self.request, reply.text, errors)
            again = replace(self, request=replace(self.request, messages=messages))
            reply, errors, value = again._try(schema)
        if errors:
            message = _("The model's answer does not fit the schema: %(why)s")
            raise ToolFailure(message % {"why": "; ".join(errors)}, code="model_answer_invalid")
        return reply, value

    def _try(self, schema: JSON) -> tuple[ModelReply, list[str], Any]:
        reply = self.ask()
        if len(reply.text) > (self.request.max_output_tokens or 0) * CHARS_PER_TOKEN:
            return replace(reply, text=""), ["It is too long."], None
        told = _check("check_answer", schema=schema, text=reply.text)
        value = told.get("value")
        if not is_storable(value):
            return reply, ["It is nested too deeply, or holds what no text can hold."], None
        return reply, told.get("errors", []), value


def prompt_tokens(request: ModelRequest) -> int:
    return sum(estimate_tokens(message.content) for message in request.messages)


def _check(function: str, **arguments: Any) -> JSON:
    """In a process of its own: see there."""
    try:
        return run_bounded(f"{_CHECKING}:{function}", arguments) or {}
    except Refused as refused:
        if refused.code == LIMIT:
            raise limit_failure(refused) from refused
        message = _("The JSON schema can't be used: %(why)s") % {"why": refused.detail[:200]}
        raise ToolFailure(message, code=refused.code) from refused


def _failure(error: ModelError) -> ToolFailure:
    codes = (code for kind, code in _CODES if isinstance(error, kind))
    usual = "model_refused" if isinstance(error, ModelRefused) else "model_unavailable"
    if error.unavailable:
        usual = "model_unavailable"
    return ToolFailure(error.message, code=next(codes, usual))
