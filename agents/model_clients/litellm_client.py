"""`LiteLLMClient`: hosted and local models through LiteLLM, which is imported nowhere else."""

import json
import logging
import os
import threading
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from agents.model_clients.errors import (
    ModelError,
    ModelFault,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from agents.model_clients.protocol import (
    JSON,
    ChatMessage,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
    ToolRequest,
    Usage,
)
from agents.model_clients.retries import Attempts

_MAX_LOGGED = 300
_importing = threading.Lock()
_READ_ONLY_TYPES = r"Items? .* on TypedDict class .* using the `ReadOnly` qualifier"
_log = logging.getLogger(__name__)

# By class name, most special first: naming the classes would import the library.
_ERRORS: tuple[tuple[str, type[ModelError]], ...] = (
    ("Timeout", ModelTimeout),
    ("TimeoutError", ModelTimeout),
    ("APITimeoutError", ModelTimeout),
    ("RateLimitError", ModelRateLimited),
    ("AuthenticationError", ModelRefused),
    ("PermissionDeniedError", ModelRefused),
    ("NotFoundError", ModelRefused),
    ("BadRequestError", ModelRefused),
    ("UnprocessableEntityError", ModelRefused),
    ("BudgetExceededError", ModelRefused),
    ("APIConnectionError", ModelUnreachable),
    ("ServiceUnavailableError", ModelFault),
    ("BadGatewayError", ModelFault),
    ("InternalServerError", ModelFault),
    ("TransportError", ModelUnreachable),  # httpx, in the middle of a stream
)
_SENTENCES: dict[type[ModelError], str] = {
    ModelTimeout: gettext_noop("%(model)s took too long."),
    ModelRateLimited: gettext_noop("%(model)s has too much to do right now. Try again later."),
    ModelRefused: gettext_noop("%(model)s refused the request."),
    ModelUnreachable: gettext_noop("%(model)s can't be reached."),
    ModelFault: gettext_noop("%(model)s can't answer: its server failed."),
    ModelError: gettext_noop("%(model)s gave no usable answer."),
}


class LiteLLMClient:
    """A `ModelClient` over `litellm.completion`. The timeout is the smaller of ours and theirs."""

    def __init__(
        self,
        model: str,
        base_url: str = "",
        api_key: str = "",
        timeout_seconds: float = 60.0,
        num_retries: int = 0,
    ) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self.patience_seconds = timeout_seconds  # see `supervised`
        self._num_retries = num_retries

    def complete(self, request: ModelRequest) -> ModelReply:
        attempts = Attempts(self._num_retries, self._timeout(request))
        while True:
            try:
                return self._complete_once(request, attempts.seconds_left)
            except ModelError as error:
                attempts.wait_after(error)

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        """Ends the model's work when the caller stops listening.

        Tried again only while nothing was yielded: what somebody has seen is not taken back.
        """
        attempts = Attempts(self._num_retries, self._timeout(request))
        begun = False
        while True:
            try:
                with closing(self._stream_once(request, attempts)) as items:
                    for item in items:
                        begun = True
                        yield item
                return
            except ModelError as error:
                if begun:
                    raise
                attempts.wait_after(error)

    def _complete_once(self, request: ModelRequest, timeout_seconds: float) -> ModelReply:
        try:
            response = _litellm().completion(**self._arguments(request, timeout_seconds))
            return _read_reply(response)
        except Exception as error:
            raise self._translated(error) from error

    def _stream_once(
        self, request: ModelRequest, attempts: Attempts
    ) -> Generator[StreamItem, None, None]:
        response: Any = None
        try:
            arguments = self._arguments(request, attempts.seconds_left)
            options = {"stream": True, "stream_options": {"include_usage": True}}
            response = _litellm().completion(**arguments, **options)
            chunks: list[Any] = []
            for chunk in response:
                if not attempts.seconds_left:
                    raise TimeoutError("the stream went on past the timeout")
                chunks.append(chunk)
                if text := _delta_text(chunk):
                    yield TextDelta(text)
            yield _read_reply(_litellm().stream_chunk_builder(chunks))
        except Exception as error:
            raise self._translated(error) from error
        finally:
            _close(response)

    def _timeout(self, request: ModelRequest) -> float:
        if request.timeout_seconds is None:
            return self._timeout_seconds
        return min(self._timeout_seconds, request.timeout_seconds)

    def _arguments(self, request: ModelRequest, timeout_seconds: float) -> JSON:
        arguments: JSON = {
            "model": self._full_name(),
            "messages": [_message_body(message) for message in request.messages],
            "timeout": timeout_seconds,
            "num_retries": 0,  # ours (`retries`): the library's want a package that it lacks
            "max_retries": 0,  # nor those of the library below it
        }
        if self._base_url:
            # The client library demands some key; a local server wants none.
            arguments |= {"api_base": self._base_url, "api_key": self._api_key or "none"}
        elif self._api_key:
            arguments["api_key"] = self._api_key
        if request.tools:
            arguments["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
        return arguments

    def _full_name(self) -> str:
        """With a base URL, a name without a provider is an OpenAI-compatible server's."""
        provider, slash, _name = self._model.partition("/")
        known = {str(getattr(one, "value", one)) for one in _litellm().provider_list}
        if not self._base_url or (slash and provider in known):
            return self._model
        return f"openai/{self._model}"

    def _translated(self, error: Exception) -> ModelError:
        """One plain sentence of ours; what the library says is for the log, without the key."""
        kind = _kind_of(error)
        text = str(getattr(error, "message", "") or error)
        if self._api_key:
            text = text.replace(self._api_key, "***")
        _log.warning("Model %s: %s: %s", self._model, kind.code, text[:_MAX_LOGGED])
        return kind(_(_SENTENCES[kind]) % {"model": self._place()})

    def _place(self) -> str:
        """What people are told of where the model is: never a user name or password in the URL."""
        if not self._base_url:
            return _("The model")
        url = urlsplit(self._base_url)
        return _("The model at %(url)s") % {
            "url": f"{url.scheme}://{url.netloc.rpartition('@')[2]}"
        }


def _kind_of(error: Exception) -> type[ModelError]:
    names = {base.__name__ for base in type(error).__mro__}
    if "InternalServerError" in names and "Connection error" in str(error):
        return ModelUnreachable  # how it puts that nobody listens there
    for name, ours in _ERRORS:
        if name in names:
            return ours
    status = getattr(error, "status_code", None)  # a 403 comes as the bare APIError
    return ModelRefused if isinstance(status, int) and 400 <= status < 500 else ModelError


def _litellm() -> Any:
    """Imported at the first call (3 s, 190 MB), and told to leave network and `.env` alone."""
    with _importing:
        # At its first calls pydantic warns of the library's own types, dozens of times.
        warnings.filterwarnings("ignore", _READ_ONLY_TYPES, UserWarning, r"pydantic\.")
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        os.environ.setdefault("LITELLM_OFFLINE_MODE", "true")
        with warnings.catch_warnings():
            import litellm
        litellm.suppress_debug_info = True
        logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # its records hold prompts
        return litellm


def _message_body(message: ChatMessage) -> JSON:
    body: JSON = {"role": message.role, "content": message.content}
    if message.tool_calls:
        body["tool_calls"] = [_call_body(call) for call in message.tool_calls]
        body["content"] = message.content or None
    if message.role == "tool":
        body["tool_call_id"] = message.tool_call_id
    return body


def _call_body(call: ToolRequest) -> JSON:
    """Arguments that were no JSON go back as none: some servers refuse a prompt that holds such."""
    raw = json.dumps(call.arguments or {}, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": raw}}


def _read_reply(response: Any) -> ModelReply:
    message = response.choices[0].message
    calls = tuple(
        _read_call(call, number) for number, call in enumerate(message.tool_calls or [], start=1)
    )
    return ModelReply(message.content or "", calls, _read_usage(response))


def _read_call(call: Any, number: int) -> ToolRequest:
    raw = call.function.arguments or ""
    try:
        arguments = json.loads(raw or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        arguments = None
    return ToolRequest(call.id or f"call_{number}", call.function.name or "", arguments, raw)


def _read_usage(response: Any) -> Usage:
    usage = getattr(response, "usage", None)
    hidden = getattr(response, "_hidden_params", None) or {}
    cost = hidden.get("response_cost")
    return Usage(
        getattr(usage, "prompt_tokens", 0) or 0,
        getattr(usage, "completion_tokens", 0) or 0,
        float(cost) if isinstance(cost, int | float) else None,
    )


def _delta_text(chunk: Any) -> str:
    if not chunk.choices:
        return ""
    return chunk.choices[0].delta.content or ""


def _close(response: Any) -> None:
    close = getattr(getattr(response, "completion_stream", None), "close", None)
    if close is not None:
        close()
