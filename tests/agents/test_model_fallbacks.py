"""When one model can't answer, the next is asked: in the operator's order, and only where content
may go."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from agents.model_clients.errors import (
    ModelContextExceeded,
    ModelError,
    ModelFiltered,
    ModelKeyRefused,
    ModelRefused,
    ModelTimeout,
    ModelTooMuch,
    ModelUnreachable,
)
from agents.model_clients.fallback import FallbackClient
from agents.model_clients.protocol import (
    ChatMessage,
    ModelClient,
    ModelReply,
    ModelRequest,
    Restarted,
    StreamItem,
    TextDelta,
)
from agents.model_clients.resolve import client_for, describe_models, usable_chain
from agents.models import Agent, ModelProfile, Run, RunStep
from agents.testing import Drop, HttpError, ScriptedClient, scripted_server
from config.base.models import User
from skills.models import AuditEvent
from tests.agents.conftest import Turn
from tests.agents.hostile_servers import LONG

PROMPT = ModelRequest((ChatMessage("user", "hi"),))


def completed(client: ModelClient) -> ModelReply:
    return client.complete(PROMPT)


def streamed(client: ModelClient) -> ModelReply:
    *_pieces, reply = client.stream(PROMPT)
    assert isinstance(reply, ModelReply)
    return reply


both_ways = pytest.mark.parametrize("ask", [completed, streamed])
type Ask = Callable[[ModelClient], ModelReply]


@both_ways
def test_the_next_answers_and_it_is_said(ask: Ask) -> None:
    down = ModelUnreachable("It can't be reached.")
    client = FallbackClient([("A", ScriptedClient([down])), ("B", ScriptedClient(["hello"]))])
    reply = ask(client)
    assert (reply.text, reply.model) == ("hello", "B")
    assert reply.warnings == (
        "“A” did not answer: It can't be reached.",
        "“B” answered instead.",
    )


@both_ways
def test_the_first_answers_without_a_word_of_the_others(ask: Ask) -> None:
    spare = ScriptedClient(["never"])
    reply = ask(FallbackClient([("A", ScriptedClient(["hello"])), ("B", spare)]))
    assert (reply.text, reply.model, reply.warnings) == ("hello", "A", ())
    assert spare.requests == []


def test_a_run_stays_with_the_model_that_answered() -> None:
    first = ScriptedClient([ModelTimeout(), "back again"])
    client = FallbackClient([("A", first), ("B", ScriptedClient(["one", "two"]))])
    assert [streamed(client).text for _ in range(2)] == ["one", "two"]
    assert len(first.requests) == 1


@pytest.mark.parametrize(
    "error", [ModelKeyRefused(), ModelContextExceeded(), ModelTimeout(), ModelError()]
)
def test_what_another_might_answer_goes_on(error: ModelError) -> None:
    client = FallbackClient([("A", ScriptedClient([error])), ("B", ScriptedClient(["yes"]))])
    assert completed(client).text == "yes"


@pytest.mark.parametrize("error", [ModelRefused(), ModelFiltered(), ModelTooMuch()])
def test_a_refusal_is_not_taken_from_door_to_door(error: ModelError) -> None:
    spare = ScriptedClient(["never"])
    with pytest.raises(type(error)):
        streamed(FallbackClient([("A", ScriptedClient([error])), ("B", spare)]))
    assert spare.requests == []


def test_the_last_failure_is_told() -> None:
    clients = [("A", ScriptedClient([ModelTimeout()])), ("B", ScriptedClient([ModelKeyRefused()]))]
    with pytest.raises(ModelKeyRefused):
        streamed(FallbackClient(clients))


def test_what_was_shown_of_the_first_is_taken_back() -> None:
    class HalfWay(ScriptedClient):
        def stream(self, request: ModelRequest) -> Iterator[StreamItem]:
            yield TextDelta("Half")
            raise ModelUnreachable

    items: list[StreamItem] = list(
        FallbackClient([("A", HalfWay()), ("B", ScriptedClient(["whole"]))]).stream(PROMPT)
    )
    assert items[:3] == [TextDelta("Half"), Restarted(), TextDelta("whole")]


def profile(name: str, *, external: bool = False, leave: bool = False) -> ModelProfile:
    return ModelProfile(
        name=name,
        model="m",
        base_url="http://127.0.0.1:1/v1",
        external=external,
        fallback_may_leave=leave,
    )


INSIDE, ALLOWED, OUTSIDE = (
    {"external": False},
    {"external": False, "leave": True},
    {"external": True},
)


@pytest.mark.parametrize(
    ("chain", "used"),
    [
        ([INSIDE], 1),
        ([INSIDE, INSIDE], 2),
        ([INSIDE, OUTSIDE], 1),
        ([ALLOWED, OUTSIDE], 2),
        ([OUTSIDE, OUTSIDE], 2),
        ([OUTSIDE, INSIDE], 2),
        ([INSIDE, ALLOWED, OUTSIDE], 2),
        ([ALLOWED, INSIDE, OUTSIDE], 2),
        ([ALLOWED, ALLOWED, OUTSIDE], 3),
        ([OUTSIDE, INSIDE, OUTSIDE], 2),
        ([INSIDE] * 6, 4),
    ],
)
def test_content_leaves_only_where_every_profile_before_allows_it(
    chain: list[dict[str, bool]], used: int
) -> None:
    profiles = [profile(str(number), **fields) for number, fields in enumerate(chain)]
    for one, following in itertools.pairwise(profiles):
        one.fallback = following
    assert usable_chain(profiles[0]) == profiles[:used]


def test_the_offline_model_never_lets_content_leave() -> None:
    first = profile("A")
    first.fallback = ModelProfile(name="rules", model="rules", external=True)
    assert len(usable_chain(first)) == 2


def test_content_leaves_with_a_model_that_has_no_address() -> None:
    assert ModelProfile(model="openai/gpt-4o", external=False).leaves
    assert ModelProfile(model="m", base_url="http://127.0.0.1:1/v1", external=True).leaves
    assert not ModelProfile(model="m", base_url="http://127.0.0.1:1/v1", external=False).leaves
    assert not ModelProfile(model="rules").leaves


def test_a_circle_ends() -> None:
    first, second = profile("A"), profile("B")
    first.fallback, second.fallback = second, first
    assert usable_chain(first) == [first, second]


@pytest.mark.django_db
@pytest.mark.filterwarnings("ignore")  # what litellm's own code warns of
@pytest.mark.parametrize("line", [HttpError(401), HttpError(500), Drop(LONG, pieces=2)], ids=str)
def test_a_run_says_which_model_answered(
    line: HttpError | Drop, guide: Agent, turn: Turn, alice: User
) -> None:
    with scripted_server([line]) as (down, _), scripted_server(["Hello."]) as (up, _script):
        spare = ModelProfile.objects.create(name="Spare", model="s", base_url=up)
        first = ModelProfile.objects.create(
            name="Local", model="m", base_url=down, retries=0, fallback=spare
        )
        guide.model_profile = first
        guide.save()
        run: Run = turn(alice, "hello")
    assert run.response_status == "COMPLETED"
    assert run.model == "Spare (s)"
    assert run.warnings[0].startswith("“Local” did not answer: The model ")
    assert "127.0.0.1" not in run.warnings[0]
    assert run.warnings[1] == "“Spare” answered instead."
    assert RunStep.objects.get().model == "Spare (s)"
    finished = AuditEvent.objects.get(action="run.finished")
    assert finished.metadata["model"] == "Spare (s)"


@pytest.mark.django_db
def test_the_chain_is_one_query(guide: Agent, django_assert_num_queries: Any) -> None:
    last = ModelProfile.objects.create(name="C", model="rules")
    second = ModelProfile.objects.create(name="B", model="m", fallback=last)
    guide.model_profile = ModelProfile.objects.create(name="A", model="m", fallback=second)
    guide.save()
    with django_assert_num_queries(1):
        client = client_for(guide)
    assert isinstance(client, FallbackClient)
    assert describe_models(guide) == "A → B → C"
