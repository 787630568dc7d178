"""Whatever a model's server does: a clear status, and a conversation that goes on.

Over HTTP, through the real client, streaming and not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db.models import Sum
from django.db.models.functions import Length
from rest_framework.test import APIClient

from agents.model_clients import retries
from agents.models import Agent, Message, ModelProfile, Run, RunEvent, RunStep
from agents.testing import Drop, HttpError, Raw, ServerScript, scripted_server
from agents.testing.script import Line
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.hostile_servers import CASES, LONG, MIB, Case, said
from tests.clients import with_token
from tools.models import ToolCall

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("inline_runs"),
    pytest.mark.filterwarnings("ignore"),  # what litellm's own code warns of
]

URL = "/api/agent/messages/"
BACK = "I am back."
# What a database may not like is tried on both.
STRANGE = {"odd calls", "strange numbers", "NUL and half characters", "bad arguments"}
EACH = [
    pytest.param(case, id=case.name, marks=[pytest.mark.both] if case.name in STRANGE else [])
    for case in CASES
]
both_ways = pytest.mark.parametrize("stream", [True, False], ids=["stream", "whole"])


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that would have been made."""
    made: list[float] = []
    monkeypatch.setattr(retries, "sleep", made.append)
    return made


@pytest.fixture
def alices(alice: User) -> APIClient:
    return with_token(alice)


@contextmanager
def model_of(
    agent: Agent, lines: list[Line], *, stream: bool, usage: bool = True, **fields: Any
) -> Iterator[ServerScript]:
    """The agent speaks with a server that says these lines, and then always the same."""
    with scripted_server(ServerScript(lines, BACK, usage=usage)) as (base_url, script):
        profile = ModelProfile.objects.create(
            **{
                "name": "hostile",
                "model": "m",
                "base_url": base_url,
                "stream": stream,
                "timeout_seconds": 60,
                "retries": 1,
                **fields,
            }
        )
        Agent.objects.filter(pk=agent.pk).update(model_profile=profile)
        yield script


def say(client: APIClient, text: str, **body: Any) -> dict[str, Any]:
    answer = client.post(URL, {"text": text, "enable_tools": True, **body}, format="json")
    assert answer.status_code == 200, answer.content
    told: dict[str, Any] = answer.json()
    return told


def impatience(case: Case) -> dict[str, Any]:
    """Only what times out on purpose does so soon: a busy machine is slow at everything."""
    if case.name == "drips for ever":
        return {"timeout_seconds": 1}
    if case.code == "model_timeout":
        return {"first_byte_timeout_seconds": 1, "idle_timeout_seconds": 1, "retries": 0}
    return {}


@both_ways
@pytest.mark.parametrize("case", EACH)
def test_a_hostile_model_leaves_a_clear_status_and_a_conversation_that_goes_on(
    case: Case, stream: bool, guide: Agent, alices: APIClient
) -> None:
    with model_of(guide, case.lines(stream), stream=stream, **impatience(case)) as script:
        told = say(alices, "hello")
        asked = len(script.bodies)
        again = say(alices, "are you there?", conversation_id=told["conversation_id"])
    assert (told["status"], asked) == (case.status, case.asked)
    assert not case.code or told["error"]["code"] == case.code
    assert bool(told["error"]) == (case.status != "COMPLETED")
    words = told["error"]["message"] if told["error"] else told["answer"]
    assert case.says in words
    assert "litellm" not in words
    assert case.warns in " ".join(told["warnings"])
    assert bool(told["warnings"]) == bool(case.warns)
    assert (again["status"], again["answer"], again["error"]) == ("COMPLETED", BACK, None)
    assert_is_small()


def assert_is_small() -> None:
    """No answer fills the tables."""
    assert ToolCall.objects.count() <= 32
    assert RunEvent.objects.count() <= 400
    assert AuditEvent.objects.count() <= 400
    texts = Message.objects.aggregate(n=Sum(Length("text")))["n"]
    assert texts < 10_000
    for step in RunStep.objects.all():
        assert len(str(step.tool_calls)) < MIB
    shown = sum(len(str(event.data)) for event in RunEvent.objects.all())
    assert shown < MIB


@both_ways
def test_no_more_is_read_than_is_taken(stream: bool, guide: Agent, alices: APIClient) -> None:
    body = b"x" * MIB
    flood = Raw([b'{"x": "', *[body] * 200], content_type="text/event-stream")
    with model_of(guide, [flood], stream=stream) as script:
        assert say(alices, "hello")["error"]["code"] == "model_answer_too_long"
    assert script.sent_bytes < 64 * MIB  # what it takes, and what the system buffers


def test_a_server_that_is_not_there(guide: Agent, alices: APIClient, pauses: list[float]) -> None:
    with model_of(guide, [], stream=True, retries=2):
        pass
    told = say(alices, "hello")
    assert (told["status"], told["error"]["code"]) == ("UNAVAILABLE", "model_unreachable")
    assert pauses == [0.5, 1.0]


@both_ways
def test_a_redirect_is_not_followed(stream: bool, guide: Agent, alices: APIClient) -> None:
    with scripted_server() as (elsewhere, other):
        location = {"Location": f"{elsewhere}/chat/completions"}
        moved = Raw(status=307, headers=location)
        with model_of(guide, [moved], stream=stream) as script:
            told = say(alices, "hello")
    assert (told["status"], told["error"]["code"]) == ("UNAVAILABLE", "model_redirected")
    assert "not sent there" in told["error"]["message"]
    assert (len(script.bodies), other.bodies) == (1, [])


def test_a_packed_answer_is_not_unpacked(guide: Agent, alices: APIClient) -> None:
    packed = Raw([b"\x1f\x8b"], headers={"Content-Encoding": "gzip"})
    with model_of(guide, [packed, packed], stream=False) as script:
        told = say(alices, "hello")
    assert told["error"]["code"] == "model_answer_invalid"
    assert script.headers[0]["accept-encoding"] == "identity"


@both_ways
@pytest.mark.parametrize(
    ("asked", "waited"), [("3", [3.0]), ("0.1", [0.5]), ("nonsense", [0.5]), ("3600", [])]
)
def test_a_server_that_asks_us_to_wait_is_waited_for_if_it_is_not_long(
    asked: str, waited: list[float], stream: bool, guide: Agent, alices: APIClient,
    pauses: list[float],
) -> None:  # fmt: skip
    line = HttpError(429, headers={"Retry-After": asked})
    with model_of(guide, [line], stream=stream):
        told = say(alices, "hello")
    assert pauses == waited
    assert told["status"] == ("COMPLETED" if waited else "UNAVAILABLE")


def test_text_of_an_answer_that_broke_off_is_taken_back_in_the_stream(
    guide: Agent, alices: APIClient
) -> None:
    with model_of(guide, [Drop(LONG, pieces=3)], stream=True):
        told = say(alices, "hello")
    assert told["answer"] == BACK
    events = list(RunEvent.objects.values_list("type", "data"))
    kinds = [kind for kind, _data in events]
    again = kinds.index("step.restarted")
    assert events[again][1] == {"step": 1, "attempt": 2}
    after = "".join(data["text"] for kind, data in events[again:] if kind == "text.delta")
    assert after == BACK


@both_ways
def test_what_a_reply_took_is_estimated_when_the_server_does_not_say(
    stream: bool, guide: Agent, alices: APIClient
) -> None:
    price = {"input_price_usd": 2, "output_price_usd": 10}
    with model_of(guide, ["Four words for you."], stream=stream, usage=False, **price):
        told = say(alices, "hello")
    run, step = Run.objects.get(), RunStep.objects.get()
    assert step.usage_estimated
    assert run.usage_estimated
    assert 3 <= step.output_tokens <= 7
    assert step.input_tokens > 100  # the tools and the rules are sent too
    assert (run.input_tokens, run.output_tokens) == (step.input_tokens, step.output_tokens)
    assert step.cost_usd is not None
    spent = (step.input_tokens * 2 + step.output_tokens * 10) / 1_000_000
    assert float(step.cost_usd) == pytest.approx(spent, abs=1e-6)
    assert told["usage"]["input_tokens"] == run.input_tokens


@both_ways
def test_what_the_server_says_of_its_usage_counts(
    stream: bool, guide: Agent, alices: APIClient
) -> None:
    usage = {"prompt_tokens": 3100, "completion_tokens": 5, "total_tokens": 3105}
    line = said("ok", stream=stream, usage=usage)
    with model_of(guide, [line], stream=stream):
        say(alices, "hello")
    run = Run.objects.get()
    assert (run.input_tokens, run.output_tokens) == (3100, 5)
    assert (run.usage_estimated, run.cost_usd) == (False, None)
    assert run.model == "hostile (m)"


@both_ways
def test_a_server_that_says_far_too_little_of_its_usage_is_not_believed(
    stream: bool, guide: Agent, alices: APIClient
) -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    line = said("Many words. " * 300, stream=stream, usage=usage)
    with model_of(guide, [line], stream=stream):
        say(alices, "hello " * 500)
    run = Run.objects.get()
    assert run.input_tokens > 1_000
    assert run.output_tokens > 500
    assert run.usage_estimated
