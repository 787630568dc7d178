"""How the LiteLLM adapter speaks to a server, and what it makes of failures."""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.model_clients import litellm_client, retries
from agents.model_clients.errors import (
    ModelError,
    ModelFault,
    ModelKeyRefused,
    ModelNotFound,
    ModelRateLimited,
    ModelRedirected,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from agents.model_clients.failures import SENTENCES
from agents.model_clients.litellm_client import LiteLLMClient, Options
from agents.model_clients.protocol import (
    ChatMessage,
    ModelReply,
    ModelRequest,
    StreamItem,
    TextDelta,
    ToolRequest,
    Usage,
)
from agents.model_clients.retries import pause_before_retry
from agents.model_clients.transport import TimeLimits
from agents.testing import Drop, Hang, HttpError, Raw, scripted_server, tool_definitions
from agents.testing.script import Line

pytestmark = pytest.mark.filterwarnings("ignore")  # what litellm's own code warns of

PROMPT = ModelRequest((ChatMessage("user", "hi"),))
LONG = ModelReply("one two three four five six seven eight nine ten eleven twelve")


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that would have been made."""
    pauses: list[float] = []
    monkeypatch.setattr(retries, "sleep", pauses.append)
    return pauses


def complete(client: LiteLLMClient) -> None:
    client.complete(PROMPT)


def stream(client: LiteLLMClient) -> None:
    list(client.stream(PROMPT))


type Ask = Callable[[LiteLLMClient], None]
both_ways = pytest.mark.parametrize("ask", [complete, stream])

FAILURES: list[tuple[Line, type[ModelError]]] = [
    (HttpError(401, "bad key: sk-secret"), ModelKeyRefused),
    (HttpError(403), ModelKeyRefused),
    (HttpError(404, "no such model"), ModelNotFound),
    (HttpError(400, "context too long"), ModelRefused),
    (HttpError(422), ModelRefused),
    (HttpError(429, "slow down"), ModelRateLimited),
    (HttpError(500, "sk-secret in a traceback"), ModelFault),
    (HttpError(503), ModelFault),
    (Hang(), ModelTimeout),
    (Drop(LONG), ModelUnreachable),
]


@both_ways
@pytest.mark.parametrize(("line", "expected"), FAILURES)
def test_a_failure_is_one_of_ours_in_a_plain_sentence(
    ask: Ask, line: Line, expected: type[ModelError], caplog: pytest.LogCaptureFixture
) -> None:
    with scripted_server([line]) as (base_url, script):
        # Only what times out on purpose does so soon: a busy machine is slow at everything.
        patience = 0.5 if expected is ModelTimeout else 30
        client = LiteLLMClient("m", base_url, "sk-secret", timeout_seconds=patience)
        with pytest.raises(expected) as caught:
            ask(client)
    assert len(script.bodies) == 1  # no retries unless asked for
    place = base_url.removesuffix("/v1")
    assert caught.value.message == SENTENCES[type(caught.value)] % {"model": "The model"}
    (record,) = caplog.records
    assert f" at {place}: " in record.getMessage()  # for operators
    assert caught.value.code in record.getMessage()
    assert "sk-secret" not in record.getMessage()


@both_ways
def test_a_server_that_is_down_is_unreachable(ask: Ask, caplog: pytest.LogCaptureFixture) -> None:
    with scripted_server() as (base_url, _script):
        pass
    base_url = base_url.replace("://", "://me:pass@")
    with pytest.raises(ModelUnreachable) as caught:
        ask(LiteLLMClient("m", base_url, timeout_seconds=30, num_retries=1))
    address = base_url.removesuffix("/v1").replace("me:pass@", "")
    assert caught.value.message == "The model can't be reached."
    assert f" at {address}: " in caplog.text
    assert "pass@" not in caplog.text


def test_text_that_came_before_a_cut_was_shown() -> None:
    with scripted_server([Drop(LONG, pieces=2)]) as (base_url, _script):
        pieces = LiteLLMClient("m", base_url, timeout_seconds=30).stream(PROMPT)
        assert isinstance(next(pieces), TextDelta)
        with pytest.raises(ModelError):
            list(pieces)


RETRYABLE: list[Line] = [HttpError(500), HttpError(503), HttpError(429), Drop(LONG, pieces=0)]


@both_ways
@pytest.mark.parametrize("line", RETRYABLE)
def test_it_tries_again_when_told_to(ask: Ask, line: Line, no_pauses: list[float]) -> None:
    with scripted_server([line, line, "there"]) as (base_url, script):
        ask(LiteLLMClient("m", base_url, timeout_seconds=30, num_retries=2))
    assert len(script.bodies) == 3
    assert no_pauses == [0.5, 1.0]


@both_ways
def test_the_last_failure_is_told(ask: Ask, no_pauses: list[float]) -> None:
    lines: list[Line] = [HttpError(500), HttpError(429), "late"]
    with scripted_server(lines) as (base_url, script), pytest.raises(ModelRateLimited):
        ask(LiteLLMClient("m", base_url, timeout_seconds=30, num_retries=1))
    assert len(script.bodies) == 2


@both_ways
@pytest.mark.parametrize("line", [HttpError(400), HttpError(401), Hang()])
def test_what_would_fail_again_is_not_tried_again(
    ask: Ask, line: Line, no_pauses: list[float]
) -> None:
    with scripted_server([line, "there"]) as (base_url, script), pytest.raises(ModelError):
        ask(LiteLLMClient("m", base_url, timeout_seconds=0.5, num_retries=2))
    assert (len(script.bodies), no_pauses) == (1, [])


def test_what_somebody_has_seen_is_taken_back_before_it_is_begun_anew(
    no_pauses: list[float],
) -> None:
    with scripted_server([Drop(LONG, pieces=2), "there"]) as (base_url, script):
        seen: list[StreamItem] = []
        client = LiteLLMClient("m", base_url, timeout_seconds=30, num_retries=2)
        seen += client.stream(PROMPT)
    assert len(script.bodies) == 2
    kinds = [type(item).__name__ for item in seen]
    again = kinds.index("Restarted")
    assert set(kinds[:again]) == {"TextDelta"}
    assert kinds[again:] == ["Restarted", "TextDelta", "ModelReply"]


@pytest.mark.parametrize(
    ("failed", "retries", "retryable", "left", "pause"),
    [
        (1, 0, True, 60, None),
        (1, 2, True, 60, 0.5),
        (2, 2, True, 60, 1.0),
        (3, 2, True, 60, None),
        (9, 10, True, 60, 8.0),
        (1, 2, False, 60, None),
        (1, 2, True, 0.5, None),
        (1, 2, True, 0, None),
    ],
)
def test_retries_are_bounded(
    failed: int, retries: int, retryable: bool, left: float, pause: float | None
) -> None:
    assert pause_before_retry(failed, retries, retryable=retryable, left=left) == pause


def test_the_shorter_timeout_counts() -> None:
    with scripted_server([Hang()]) as (base_url, _script):
        begun = time.monotonic()
        with pytest.raises(ModelTimeout):
            LiteLLMClient("m", base_url, timeout_seconds=60).complete(
                ModelRequest(PROMPT.messages, timeout_seconds=0.3)
            )
        assert time.monotonic() - begun < 5


@pytest.mark.parametrize(("own", "asked", "used"), [(300, None, 300), (300, 20, 20), (20, 300, 20)])
def test_a_request_can_shorten_the_profiles_timeout_and_need_not(
    own: float, asked: float | None, used: float
) -> None:
    client = LiteLLMClient("m", timeout_seconds=own)
    assert client._timeout(ModelRequest(PROMPT.messages, timeout_seconds=asked)) == used


@pytest.mark.parametrize("raw", ['{"a": ', "[1]", "null", "text"])
def test_arguments_that_are_no_object_are_kept_as_they_came(raw: str) -> None:
    reply = ModelReply(tool_calls=(ToolRequest("c1", "fetch", None, raw),))
    with scripted_server([reply, reply]) as (base_url, _script):
        client = LiteLLMClient("m", base_url)
        (call,) = client.complete(PROMPT).tool_calls
        *_, last = client.stream(PROMPT)
    assert (call.arguments, call.raw_arguments) == (None, raw)
    assert isinstance(last, ModelReply)
    assert (last.tool_calls[0].arguments, last.tool_calls[0].raw_arguments) == (None, raw)


def test_several_calls_and_words_come_together() -> None:
    calls = (
        ToolRequest("c1", "fetch", {"url": "http://x.test/一"}),
        ToolRequest("c2", "document", {"action": "list"}),
    )
    said = ModelReply("First I look.", calls, Usage(7, 5))
    with scripted_server([said, said]) as (base_url, _script):
        client = LiteLLMClient("m", base_url)
        whole = client.complete(PROMPT)
        *_, streamed = client.stream(PROMPT)
    assert isinstance(streamed, ModelReply)
    for reply in (whole, streamed):
        assert reply.text == "First I look."
        assert [(c.id, c.name, c.arguments) for c in reply.tool_calls] == [
            (c.id, c.name, c.arguments) for c in calls
        ]
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 5)
        assert reply.usage.cost_usd is None  # an unknown model has no price


def test_what_goes_over_the_wire() -> None:
    call = ToolRequest("c1", "fetch", None, "{bad")
    messages = (
        ChatMessage("user", "hi"),
        ChatMessage("assistant", "", (call,)),
        ChatMessage("tool", '{"success": false}', tool_call_id="c1"),
    )
    with scripted_server(["ok"]) as (base_url, script):
        LiteLLMClient("org/name", base_url, "sk-1").complete(
            ModelRequest(messages, tool_definitions(["fetch"]))
        )
    (body,), (headers,) = script.bodies, script.headers
    assert headers["authorization"] == "Bearer sk-1"
    assert body["model"] == "org/name"
    assert body["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert body["messages"][2]["tool_call_id"] == "c1"
    assert [tool["function"]["name"] for tool in body["tools"]] == ["fetch"]
    assert "type" not in body["tools"][0]["function"]


@pytest.mark.parametrize(
    ("model", "base_url", "expected"),
    [
        ("llama", "http://127.0.0.1:1/v1", "openai/llama"),
        ("Qwen/Qwen3", "http://127.0.0.1:1/v1", "openai/Qwen/Qwen3"),
        ("openai/llama", "http://127.0.0.1:1/v1", "openai/llama"),
        ("ollama/llama", "http://127.0.0.1:1", "ollama/llama"),
        ("replicate/llama", "http://127.0.0.1:1/v1", "openai/replicate/llama"),
        ("vllm/llama", "http://127.0.0.1:1/v1", "openai/vllm/llama"),
        ("gpt-5", "", "gpt-5"),
    ],
)
def test_a_server_of_ones_own_is_openai_compatible(
    model: str, base_url: str, expected: str
) -> None:
    assert LiteLLMClient(model, base_url)._full_name() == expected


def test_importing_the_adapter_does_not_import_the_library() -> None:
    code = "import sys, agents.model_clients.litellm_client; sys.exit('litellm' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_library_is_told_to_stay_offline_and_one_kind_of_its_warnings_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "import os, warnings\nwarnings.simplefilter('always')\nseen = dict(os.environ)\n"
    (tmp_path / "litellm.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    for name in ("LITELLM_MODE", "LITELLM_OFFLINE_MODE", "LITELLM_LOCAL_MODEL_COST_MAP"):
        monkeypatch.delenv(name, raising=False)
    with warnings.catch_warnings(record=True) as seen:
        warnings.resetwarnings()
        library = litellm_client._litellm()
        text = "Item 'x' on TypedDict class 'Y' is using the `ReadOnly` qualifier. Pydantic …"
        warnings.warn_explicit(text, UserWarning, "f", 1, module="pydantic._internal.x")
        warnings.warn_explicit(text, UserWarning, "f", 1, module="ours")
        warnings.warn_explicit("else", UserWarning, "f", 1, module="pydantic._internal.x")
        assert len(warnings.filters) == 1  # `always`, the library's, is not among them
    assert len(seen) == 2
    assert library.seen["LITELLM_MODE"] == "PRODUCTION"
    assert library.seen["LITELLM_OFFLINE_MODE"] == "true"
    assert library.seen["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"


# Their requests go through other clients of the library than OpenAI's.
OTHERS = pytest.mark.parametrize("provider", ["openai", "hosted_vllm", "deepseek"])


def client_at(base_url: str, provider: str, *, stream: bool, **limits: float) -> LiteLLMClient:
    options = Options(stream=stream, limits=TimeLimits(**limits))
    return LiteLLMClient(f"{provider}/m", base_url, "k", timeout_seconds=30, options=options)


@OTHERS
@pytest.mark.parametrize("streams", [True, False])
def test_no_provider_is_followed_elsewhere(provider: str, streams: bool) -> None:
    with scripted_server(["never"]) as (elsewhere, other):
        location = {"Location": f"{elsewhere}/chat/completions"}
        moved = Raw(status=307, headers=location | {"Set-Cookie": "a=b"})
        with scripted_server([moved, "here"]) as (base_url, script):
            client = client_at(base_url, provider, stream=streams)
            with pytest.raises(ModelRedirected):
                stream(client)
            *_, reply = client.stream(PROMPT)
    assert isinstance(reply, ModelReply)
    assert (reply.text, other.bodies) == ("here", [])
    assert [headers["accept-encoding"] for headers in script.headers] == ["identity"] * 2
    assert "cookie" not in script.headers[1]


@OTHERS
@pytest.mark.parametrize("streams", [True, False])
def test_every_provider_is_given_up_when_it_hangs(provider: str, streams: bool) -> None:
    with scripted_server([Hang()]) as (base_url, _script), pytest.raises(ModelTimeout):
        stream(client_at(base_url, provider, stream=streams, first_byte_seconds=0.3))
