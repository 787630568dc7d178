"""`LiteLLMClient`: hosted and local models through LiteLLM, which is imported nowhere else."""

import json
import logging
import os
import re
import threading
import warnings
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from agents.model_clients.errors import ModelError
from agents.model_clients.failures import SENTENCES, kind_of, own_error, retry_after_seconds
from agents.model_clients.listener import current_meter
from agents.model_clients.metering import Asked
from agents.model_clients.protocol import (
    JSON,
    ChatMessage,
    ModelReply,
    ModelRequest,
    Restarted,
    StreamItem,
    TextDelta,
    ToolDefinition,
    ToolRequest,
    Usage,
)
from agents.model_clients.reading import ReplyReader
from agents.model_clients.retries import Attempts, nobody_listens
from agents.model_clients.transport import (
    Attempt,
    GuardedTransport,
    KeyHosts,
    TimeLimits,
    attempting,
    guarded_client,
)
from agents.model_clients.usage import Prices, settled, with_cost
from tools.secrets.known import hide_text

_MAX_LOGGED = 300
USUAL_OUTPUT_TOKENS = 4096  # of a long reply, where no operator says how long one may be
_MAX_NAME_LENGTH = 64  # of a function, at the well-known servers
_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]")
# Those of the library that go to the base URL that they are given. Another one's name before the
# slash is taken for a part of the model's: some have an address of their own and would go there.
_AT_BASE_URL = frozenset(
    {
        *("anthropic", "azure", "azure_ai", "cerebras", "custom_openai", "dashscope"),
        *("databricks", "deepseek", "docker_model_runner", "fireworks_ai", "groq", "hosted_vllm"),
        *("litellm_proxy", "llamafile", "lm_studio", "mistral", "moonshot", "nvidia_nim"),
        *("ollama", "ollama_chat", "openai", "openrouter", "perplexity", "sambanova"),
        *("together_ai", "xai", "xinference"),
    }
)
_importing = threading.Lock()
_READ_ONLY_TYPES = r"Items? .* on TypedDict class .* using the `ReadOnly` qualifier"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an operator may say of a model beyond where it is."""

    name: str = ""  # of its profile
    stream: bool = True
    key_hosts: tuple[str, ...] | None = None  # the only ones that may get the key
    key_over_http: bool = True
    limits: TimeLimits = field(default_factory=TimeLimits)
    max_output_tokens: int | None = None
    prices: Prices = field(default_factory=Prices)


class LiteLLMClient:
    """A `ModelClient` over `litellm.completion`. The timeout is the smaller of ours and theirs."""

    def __init__(
        self,
        model: str,
        base_url: str = "",
        api_key: str = "",
        timeout_seconds: float = 60.0,
        num_retries: int = 0,
        options: Options = Options(),
    ) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self.patience_seconds = timeout_seconds  # see `supervised`
        self._num_retries = num_retries
        self._options = options

    def complete(self, request: ModelRequest) -> ModelReply:
        warm_up()
        attempts = Attempts(self._num_retries, self._timeout(request))
        while True:
            try:
                return self._complete_once(request, attempts)
            except ModelError as error:
                attempts.wait_after(error)

    def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
        """Ends the model's work when the caller stops listening.

        Asked again after text was yielded, it says `Restarted` first.
        """
        warm_up()
        attempts = Attempts(self._num_retries, self._timeout(request))
        while True:
            begun = False
            try:
                with closing(self._stream_once(request, attempts)) as items:
                    for item in items:
                        begun = True
                        yield item
                return
            except ModelError as error:
                attempts.wait_after(error)
            if begun:
                yield Restarted()

    def _complete_once(self, request: ModelRequest, attempts: Attempts) -> ModelReply:
        reader = ReplyReader()
        attempt = self._attempt(request, reader, attempts, stream=False)
        try:
            reader.add_whole(self._send(request, attempt))
            return self._settled(reader.reply(), attempt)
        except Exception as error:
            raise self._failed(error, attempt) from error

    def _stream_once(
        self, request: ModelRequest, attempts: Attempts
    ) -> Generator[StreamItem, None, None]:
        if not self._options.stream:
            reply = self._complete_once(request, attempts)
            if reply.text:
                yield TextDelta(reply.text)
            yield reply
            return
        response: Any = None
        reader = ReplyReader()
        attempt = self._attempt(request, reader, attempts, stream=True)
        try:
            response = self._send(request, attempt)
            yield from _texts(_chunks(response, attempt), reader, attempts)
            if not _was_told_usage(response):
                reader.usage = Usage()  # the library's guess; ours is marked as one
            yield self._settled(reader.reply(), attempt)
        except Exception as error:
            raise self._failed(error, attempt) from error
        finally:
            _close(response)

    def _send(self, request: ModelRequest, attempt: Attempt) -> Any:
        arguments = self._arguments(request)
        if attempt.stream:
            arguments |= {"stream": True, "stream_options": {"include_usage": True}}
        with attempting(attempt):
            return _litellm().completion(**arguments)

    def _attempt(
        self, request: ModelRequest, reader: ReplyReader, attempts: Attempts, *, stream: bool
    ) -> Attempt:
        asked = current_meter().begin(Asked(request, reader.so_far, self._cost))
        options, hosts = self._options, None
        if options.key_hosts is not None:
            hosts = KeyHosts(options.key_hosts, options.key_over_http)
        return Attempt(options.limits, attempts.deadline, stream, asked, hosts)

    def _failed(self, error: Exception, attempt: Attempt) -> ModelError:
        attempt.asked.failed = not nobody_listens()  # what was cut off may have been at work
        return self._translated(error)

    def _settled(self, reply: ModelReply, attempt: Attempt) -> ModelReply:
        reply = settled(reply, attempt.asked.request, self._cost)
        name = self._options.name
        reply = replace(reply, model=f"{name} ({self._model})" if name else self._model)
        attempt.asked.reply, attempt.asked.answered = reply, True
        return reply

    def most(self, input_tokens: int) -> Usage:
        """What a reply to so long a prompt is taken to use at most, before it is there."""
        output = self._options.max_output_tokens or USUAL_OUTPUT_TOKENS
        return with_cost(Usage(input_tokens, output), self._cost)

    def _cost(self, usage: Usage) -> float | None:
        """The operator's prices come before listed ones."""
        cost = self._options.prices.cost_usd(usage)
        return self._listed_cost(usage) if cost is None else cost

    def _listed_cost(self, usage: Usage) -> float | None:
        """By the library's price list; None when the model is not in it."""
        try:
            costs: tuple[float, float] = _litellm().cost_per_token(
                model=self._model,
                prompt_tokens=usage.input_tokens,
                completion_tokens=usage.output_tokens,
            )
        except Exception:  # noqa: BLE001  (it has a dozen ways to say that it does not know)
            return None
        return sum(costs)

    def _timeout(self, request: ModelRequest) -> float:
        if request.timeout_seconds is None:
            return self._timeout_seconds
        return min(self._timeout_seconds, request.timeout_seconds)

    def _max_output(self, request: ModelRequest) -> int | None:
        given = (self._options.max_output_tokens, request.max_output_tokens)
        return min((most for most in given if most), default=None)

    def _arguments(self, request: ModelRequest) -> JSON:
        arguments: JSON = {
            "model": self._full_name(),
            "messages": [_message_body(message) for message in request.messages],
            # For servers that are not reached through our client: each wait, not the whole.
            "timeout": min(self._options.limits.first_byte_seconds, self._timeout(request)),
            "num_retries": 0,  # ours (`retries`): the library's want a package that it lacks
            "max_retries": 0,  # nor those of the library below it
        }
        if self._base_url:
            # The client library demands some key; a local server wants none.
            arguments |= {"api_base": self._base_url, "api_key": self._api_key or "none"}
        elif self._api_key:
            arguments["api_key"] = self._api_key
        if most := self._max_output(request):
            arguments["max_tokens"] = most
        if request.tools:
            arguments["tools"] = [_tool_body(tool) for tool in request.tools]
        return arguments

    def _full_name(self) -> str:
        """With a base URL, a name without a provider is an OpenAI-compatible server's."""
        provider, slash, _name = self._model.partition("/")
        if not self._base_url or (slash and provider in _AT_BASE_URL):
            return self._model
        return f"openai/{self._model}"

    def _translated(self, error: Exception) -> ModelError:
        """One plain sentence of ours; what the library says is for the log, without the key."""
        kind = kind_of(error)
        own = own_error(error)
        said = (own and own.raw) or str(getattr(error, "message", "") or error)
        text = self.masked(said)[:_MAX_LOGGED]
        if not nobody_listens():  # who stops a run cuts its connection
            _log.warning("Model %s%s: %s: %s", self._model, self._place(), kind.code, text)
        told = kind(_(SENTENCES[kind]) % {"model": _("The model")})
        told.raw = text
        told.retry_after_seconds = retry_after_seconds(error)
        return told

    def masked(self, text: str) -> str:
        for secret in (self._api_key, urlsplit(self._base_url).password):
            text = text.replace(secret, "***") if secret else text
        return hide_text(text)

    def _place(self) -> str:
        """For operators only: never a user name or password in the URL."""
        url = urlsplit(self._base_url)
        return f" at {url.scheme}://{url.netloc.rpartition('@')[2]}" if self._base_url else ""


def warm_up() -> None:
    """Before time is measured."""
    _litellm()


def is_known_model(model: str) -> bool:
    """Whether the library can tell from the name whom to ask."""
    try:
        _litellm().get_llm_provider(model=model)
    except Exception:  # noqa: BLE001  (it raises whatever class fits the provider)
        return False
    return True


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
        litellm.client_session = guarded_client()
        litellm.sync_transport = GuardedTransport()
        litellm.disable_streaming_logging = True  # a thread's work for each piece, for nobody
        logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)  # its records hold prompts
        return litellm


def _tool_body(tool: ToolDefinition) -> JSON:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


def _message_body(message: ChatMessage) -> JSON:
    body: JSON = {"role": message.role, "content": message.content}
    if message.tool_calls:
        body["tool_calls"] = [_call_body(call) for call in message.tool_calls]
        body["content"] = message.content or None
    if message.role == "tool":
        body["tool_call_id"] = message.tool_call_id
    return body


def _call_body(call: ToolRequest) -> JSON:
    """What a model made up goes back as servers take it: they refuse a prompt that holds arguments
    that are no JSON, or a name that can't be one."""
    name = _NOT_IN_A_NAME.sub("_", call.name)[:_MAX_NAME_LENGTH] or "unnamed"
    raw = json.dumps(call.arguments or {}, ensure_ascii=False)
    return {"id": call.id, "type": "function", "function": {"name": name, "arguments": raw}}


def _chunks(response: Any, attempt: Attempt) -> Iterator[Any]:
    """Some of the library's clients send the request when the first piece is asked for."""
    pieces = iter(response)
    while True:
        with attempting(attempt):
            try:
                chunk = next(pieces)
            except StopIteration:
                return
        attempt.asked.answered = True  # also by a server that is not reached through our client
        yield chunk


def _texts(chunks: Iterator[Any], reader: ReplyReader, attempts: Attempts) -> Iterator[TextDelta]:
    for chunk in chunks:
        if not attempts.seconds_left:
            raise TimeoutError("the stream went on past the timeout")
        if text := reader.add_chunk(chunk):
            yield TextDelta(text)
        if reader.is_full:
            break


def _was_told_usage(response: Any) -> bool:
    pieces = getattr(response, "chunks", ())
    return any(getattr(piece, "usage", None) is not None for piece in pieces)


def _close(response: Any) -> None:
    close = getattr(getattr(response, "completion_stream", None), "close", None)
    if close is not None:
        close()
