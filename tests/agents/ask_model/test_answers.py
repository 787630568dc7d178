"""One completion by a model that an operator has set up: its answers, limits and failures."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.model_clients.errors import (
    ModelConfused,
    ModelFiltered,
    ModelTimeout,
    ModelUnreachable,
)
from agents.models import ModelProfile
from agents.testing import ScriptedClient
from agents.types.ask_model.checking import parse_answer
from config.base.models import User
from tests.agents.ask_model.conftest import (
    TASK,
    code_of,
    configure,
    costing,
    data_of,
    execute,
    used_today,
)
from tests.tools.api import Api
from tools.models import Tool, ToolCall, UserDay

pytestmark = [pytest.mark.django_db, pytest.mark.both]

AGE = {"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}


# --- Answers ---


def test_it_hands_over_task_and_text_and_gives_the_answer(
    alice: User, tool: Tool, asked: ScriptedClient
) -> None:
    configure(tool, instructions="Be brief.", max_output_tokens=50)
    asked.script = ["It is about a dog."]
    assert data_of(tool, alice, TASK) == {"text": "It is about a dog.", "model": "Helper"}
    (request,) = asked.requests
    system, user = request.messages
    assert system.content.endswith("Be brief.")
    assert user.content.startswith("Summarise.")
    assert '"A long story."' in user.content
    assert (request.tools, request.max_output_tokens) == ((), 50)
    assert request.timeout_seconds


@pytest.mark.parametrize(
    "answer", ['{"age": 7}', '```json\n{"age": 7}\n```', '```\n{"age": 7}\n```\n', ' {"age":7} ']
)
def test_json_that_fits_its_schema_is_a_value(
    alice: User, tool: Tool, asked: ScriptedClient, answer: str
) -> None:
    asked.script = [answer]
    told = data_of(tool, alice, {**TASK, "answer_schema": AGE})
    assert told["value"] == {"age": 7}
    assert '"required"' in asked.requests[0].messages[-1].content


def test_an_answer_that_does_not_fit_is_asked_for_once_more(
    alice: User, tool: Tool, asked: ScriptedClient
) -> None:
    asked.script = [costing('{"age": "seven"}', 10, 1), costing('{"age": 7}', 20, 2)]
    told = data_of(tool, alice, {**TASK, "answer_schema": AGE})
    assert told["value"] == {"age": 7}
    again = asked.requests[1].messages
    assert [message.role for message in again] == ["system", "user", "assistant", "user"]
    assert "age" in again[-1].content
    assert used_today(alice) == (30, 3, 2)


BAD_ANSWERS = [
    "I can't do that.",
    "",
    '{"age": NaN}',
    "[" * 100_000,
    '{"age": ' + "9" * 5_000 + "}",
    '{"age": 7} and more',
    '{"age": 7, "note": "\\ud800"}',
    '{"age": 7, "note": ' + "[" * 100 + "]" * 100 + "}",
    '{"age": 7, "note": "' + "x" * 9_000 + '"}',
]


@pytest.mark.parametrize("answer", BAD_ANSWERS, ids=range(len(BAD_ANSWERS)))
def test_one_that_never_fits_is_an_error_with_a_code(
    alice: User, tool: Tool, asked: ScriptedClient, answer: str
) -> None:
    asked.script = [answer, answer, '{"age": 7}']
    code = code_of(tool, alice, {**TASK, "answer_schema": AGE})
    assert (code, len(asked.requests)) == ("model_answer_invalid", 2)


def test_a_schema_of_true_takes_any_json(alice: User, tool: Tool, asked: ScriptedClient) -> None:
    asked.script = ["null"]
    assert data_of(tool, alice, {**TASK, "answer_schema": {}})["value"] is None


def _bomb() -> dict[str, Any]:
    """Sixty lines that a validator would look at for years."""
    twice = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(60)}
    return {"$defs": {**twice, "a60": {"type": "object"}}, "$ref": "#/$defs/a0"}


@pytest.mark.parametrize(
    ("schema", "code"),
    [
        ({"type": "nothing"}, "schema_unusable"),
        ({"$ref": "https://evil.example/schema"}, "schema_unusable"),
        ({"$ref": "file:///etc/passwd"}, "schema_unusable"),
        ({"pattern": "("}, "schema_unusable"),
        (_bomb(), "limit"),
    ],
)
def test_a_hostile_schema_is_refused_by_code(
    alice: User, tool: Tool, asked: ScriptedClient, schema: dict[str, Any], code: str
) -> None:
    asked.script = ["{}"]
    assert code_of(tool, alice, {**TASK, "answer_schema": schema}) == code
    assert len(asked.requests) == (1 if code == "limit" else 0)


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_whatever_a_model_says_is_json_or_a_value_error(text: str) -> None:
    try:
        value = parse_answer(text)
    except (ValueError, RecursionError):
        return
    json.dumps(value, allow_nan=False)


# --- Limits and failures ---


@pytest.mark.parametrize(
    ("config", "arguments", "code"),
    [
        ({"max_input_tokens": 50}, {"task": "Count.", "text": "word " * 200}, "limit"),
        ({"max_input_tokens": 50}, {"task": "Count. " * 50}, "limit"),
        ({}, {"task": " "}, "empty"),
        ({}, {"task": "x" * 20_001}, "invalid_arguments"),
        ({}, {"text": "no task"}, "invalid_arguments"),
        ({"allow_schema": False}, {**TASK, "answer_schema": AGE}, "invalid_arguments"),
        ({"model_profile": "nobody"}, TASK, "model_unavailable"),
        ({"model_profile": ""}, TASK, "model_unavailable"),
    ],
)
def test_what_does_not_fit_is_refused_unasked(
    alice: User,
    tool: Tool,
    asked: ScriptedClient,
    config: dict[str, Any],
    arguments: dict[str, Any],
    code: str,
) -> None:
    configure(tool, **config)
    assert code_of(tool, alice, arguments) == code
    assert asked.requests == []
    assert not UserDay.objects.filter(input_tokens__gt=0).exists()


def test_the_context_of_the_model_is_a_limit_too(
    alice: User, tool: Tool, helper: ModelProfile, asked: ScriptedClient
) -> None:
    configure(tool, max_input_tokens=100_000)
    ModelProfile.objects.filter(pk=helper.pk).update(context_tokens=2_000)
    assert code_of(tool, alice, {"task": "Count.", "text": "word " * 3_000}) == "limit"


def test_an_answer_that_goes_on_is_cut_and_says_so(
    alice: User, tool: Tool, asked: ScriptedClient
) -> None:
    configure(tool, max_output_tokens=10)
    asked.script = ["word " * 1_000]
    outcome = execute(tool, alice, TASK)
    assert len(outcome.result.data["text"]) == 80
    assert "cut" in outcome.result.warnings[0]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModelUnreachable(), "model_unavailable"),
        (ModelFiltered(), "model_refused"),
        (ModelConfused(), "model_answer_invalid"),
        (ModelTimeout(), "timeout"),
        (RuntimeError("a bug of the client"), "model_unavailable"),
        ("", "model_answer_invalid"),
    ],
)
def test_a_model_that_fails_is_told_by_code_and_never_asked_again(
    alice: User, tool: Tool, asked: ScriptedClient, error: Any, code: str
) -> None:
    asked.script = [error, "never said"]
    assert code_of(tool, alice, TASK) == code
    assert len(asked.requests) == 1
    status = ToolCall.objects.get().status
    assert status == ("timeout" if code == "timeout" else "error")


def test_the_offline_model_is_no_model_for_this(
    alice: User, tool: Tool, asked: ScriptedClient
) -> None:
    ModelProfile.objects.create(name="Offline", model="rules", external=False)
    configure(tool, model_profile="Offline")
    assert code_of(tool, alice, TASK) == "model_unavailable"


# --- REST ---


def test_a_direct_call_is_answered_through_the_api(
    operator: User, tool: Tool, asked: ScriptedClient
) -> None:
    asked.script = ["About a dog."]
    api, path = Api(operator), f"/api/agent-tools/{tool.pk}/execute/"
    status, answer = api("POST", path, {"input": TASK}, Idempotency_Key="k")
    again = api("POST", path, {"input": TASK}, Idempotency_Key="k")
    assert (status, answer["data"]["text"]) == (200, "About a dog.")
    assert again[1]["data"] == answer["data"]
    assert len(asked.requests) == 1
