"""One suite over every model client: `rules`, the scripted one, and LiteLLM against a server."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from agents.model_clients.litellm_client import LiteLLMClient
from agents.model_clients.protocol import (
    ChatMessage,
    ModelClient,
    ModelReply,
    ModelRequest,
    TextDelta,
)
from agents.model_clients.rules import RulesClient
from agents.testing import ScriptedClient, scripted_server, tool_definitions
from agents.testing.server import rules_script
from agents.testing.turns import tool_message

# What litellm's own code warns of is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")


@contextmanager
def _rules() -> Iterator[ModelClient]:
    yield RulesClient()


@contextmanager
def _scripted() -> Iterator[ModelClient]:
    yield ScriptedClient([RulesClient().complete] * 5)


@contextmanager
def _litellm() -> Iterator[ModelClient]:
    with scripted_server(rules_script()) as (base_url, _script):
        yield LiteLLMClient("rules", base_url, api_key="secret", timeout_seconds=20)


CLIENTS = {"rules": _rules, "scripted": _scripted, "litellm": _litellm}


@pytest.fixture(params=CLIENTS)
def client(request: pytest.FixtureRequest) -> Iterator[ModelClient]:
    with CLIENTS[request.param]() as made:
        yield made


def completed(client: ModelClient, request: ModelRequest) -> ModelReply:
    return client.complete(request)


def streamed(client: ModelClient, request: ModelRequest) -> ModelReply:
    """The whole reply; that it stands last, alone, and equals its pieces, holds for all."""
    *pieces, reply = client.stream(request)
    assert isinstance(reply, ModelReply)
    texts = [piece.text for piece in pieces if isinstance(piece, TextDelta)]
    assert len(texts) == len(pieces)
    assert "".join(texts) == reply.text
    return reply


type Ask = Callable[[ModelClient, ModelRequest], ModelReply]
both_ways = pytest.mark.parametrize("ask", [completed, streamed])


def prompt(text: str, *more: ChatMessage) -> ModelRequest:
    messages = (ChatMessage("system", "Be brief."), ChatMessage("user", text), *more)
    return ModelRequest(messages, tool_definitions())


@both_ways
def test_it_answers_in_words(client: ModelClient, ask: Ask) -> None:
    reply = ask(client, prompt("hello"))
    assert "offline model" in reply.text
    assert reply.tool_calls == ()


@both_ways
def test_it_keeps_chinese_whole(client: ModelClient, ask: Ask) -> None:
    assert "离线模型" in ask(client, prompt("你好")).text


@both_ways
def test_it_asks_for_a_call_with_arguments(client: ModelClient, ask: Ask) -> None:
    (call,) = ask(client, prompt("计算 15*23")).tool_calls
    assert (call.name, call.arguments) == ("calculator", {"expression": "15*23"})
    assert call.id


@both_ways
def test_it_is_told_the_results_of_its_calls(client: ModelClient, ask: Ask) -> None:
    first = ask(client, prompt("what is 15*23?"))
    asked = ChatMessage("assistant", first.text, first.tool_calls)
    result = {"success": True, "data": {"result": "345"}}
    reply = ask(client, prompt("what is 15*23?", asked, tool_message(first.tool_calls[0], result)))
    assert "345" in reply.text
    assert reply.tool_calls == ()


@both_ways
def test_it_goes_on_after_several_steps(client: ModelClient, ask: Ask) -> None:
    text = "fetch http://x.test and save it as a document called Notes"
    first = ask(client, prompt(text))
    page = {"success": True, "data": {"status_code": 200, "content": "# 标题\n“x” \\ body"}}
    told = (
        ChatMessage("assistant", "", first.tool_calls),
        tool_message(first.tool_calls[0], page),
    )
    (call,) = ask(client, prompt(text, *told)).tool_calls
    assert call.arguments is not None
    assert call.arguments["content"] == "# 标题\n“x” \\ body"
    assert call.id != first.tool_calls[0].id


@both_ways
def test_it_counts_what_it_used(client: ModelClient, ask: Ask) -> None:
    usage = ask(client, prompt("hello")).usage
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0
    assert usage.cost_usd is None or usage.cost_usd == 0


def test_it_leaves_the_request_alone(client: ModelClient) -> None:
    request = prompt("what is 2+2?")
    client.complete(request)
    list(client.stream(request))
    assert request == prompt("what is 2+2?")
