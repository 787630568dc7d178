"""The doubles themselves: what other tests lean on."""

import json
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from agents.model_clients.errors import ModelError, ModelTimeout
from agents.model_clients.protocol import ChatMessage, ModelReply, ModelRequest, ToolRequest
from agents.testing import HttpError, ScriptedClient, scripted_server
from agents.testing.server import rules_script

PROMPT = ModelRequest((ChatMessage("user", "hi"),))


def test_a_scripted_client_says_its_lines_in_order_and_records_the_questions() -> None:
    client = ScriptedClient(["one", ModelReply("two"), lambda request: request.messages[0].content])
    assert [client.complete(PROMPT).text for _ in range(3)] == ["one", "two", "hi"]
    assert client.requests == [PROMPT] * 3


def test_a_scripted_client_raises_what_is_written_and_at_its_end() -> None:
    client = ScriptedClient([ModelTimeout()])
    with pytest.raises(ModelTimeout):
        client.complete(PROMPT)
    with pytest.raises(ModelError, match="no line left"):
        list(client.stream(PROMPT))


def post(url: str, body: object) -> str:
    request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(request, timeout=5) as answer:
        text: str = answer.read().decode()
        return text


MESSAGES = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]


def test_the_server_streams_as_the_well_known_ones_do() -> None:
    call = ToolRequest("c1", "fetch", {"url": "u"})
    with scripted_server([ModelReply("words", (call,))]) as (base_url, script):
        options = {"stream": True, "stream_options": {"include_usage": True}}
        raw = post(f"{base_url}/chat/completions", {"model": "m", "messages": MESSAGES, **options})
    lines = [line.removeprefix("data: ") for line in raw.split("\n\n") if line]
    assert lines[-1] == "[DONE]"
    events = [json.loads(line) for line in lines[:-1]]
    parts = [
        part for e in events for c in e["choices"] for part in c["delta"].get("tool_calls", [])
    ]
    assert {part["index"] for part in parts} == {0}
    assert json.loads("".join(part["function"]["arguments"] for part in parts)) == {"url": "u"}
    assert events[-2]["choices"][0]["finish_reason"] == "tool_calls"
    assert (events[-1]["choices"], "prompt_tokens" in events[-1]["usage"]) == ([], True)
    assert script.bodies[0]["model"] == "m"


def test_the_server_names_a_model_and_refuses_nonsense() -> None:
    with scripted_server() as (base_url, _script):
        with urlopen(f"{base_url}/models", timeout=5) as answer:
            assert json.load(answer)["data"][0]["id"] == "rules"
        for body, status in (([], 400), ({"model": "m", "messages": MESSAGES}, 500)):
            with pytest.raises(HTTPError) as caught:
                post(f"{base_url}/chat/completions", body)
            assert caught.value.code == status
            caught.value.close()


def test_the_server_sends_the_headers_of_an_error() -> None:
    line = HttpError(429, "slow down", {"Retry-After": "7"})
    with scripted_server([line]) as (base_url, _script):
        with pytest.raises(HTTPError) as caught:
            post(f"{base_url}/chat/completions", {"model": "m", "messages": MESSAGES})
        assert caught.value.headers["Retry-After"] == "7"
        caught.value.close()


@pytest.mark.parametrize(("hello", "double"), [("hello", "test double"), ("你好", "测试替身")])
def test_the_rules_model_says_over_http_that_it_is_a_test_double(hello: str, double: str) -> None:
    asked = {"model": "rules", "messages": [{"role": "user", "content": hello}]}
    with scripted_server(rules_script()) as (base_url, _script):
        answer = json.loads(post(f"{base_url}/chat/completions", asked))
    text = answer["choices"][0]["message"]["content"]
    assert double in text
    assert "GATEHOUSE_MODEL" not in text


def test_the_rules_model_answers_over_http_from_the_command_line() -> None:
    command = [sys.executable, "-m", "agents.testing.server", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        base_url = process.stdout.readline().split()[-1]
        tools = [{"type": "function", "function": {"name": "calculator", "parameters": {}}}]
        messages = [{"role": "user", "content": "what is 12.5% of 80?"}]
        body = {"model": "rules", "messages": messages, "tools": tools}
        answer = json.loads(post(f"{base_url}/chat/completions", body))
        (call,) = answer["choices"][0]["message"]["tool_calls"]
        assert call["function"]["name"] == "calculator"
        assert answer["choices"][0]["finish_reason"] == "tool_calls"
    finally:
        process.terminate()
        process.communicate(timeout=10)
