"""For each rule of the gate, of the runner and of the selector: what passes, and its twin."""

from typing import Any, get_args
from uuid import uuid4

import pytest

from config.base.actor import Origin
from config.base.models import Project, User
from skills import registry, runner
from skills.context import SkillContext
from skills.enums import Rejection, RunStatus, SkillKind, SkillScope
from skills.given import Given
from skills.runner import run_tool_skill
from skills.selector import select
from tests.skills.conftest import AGENT
from tests.skills.factories import make_grant, skill
from tests.skills.gate_pairs import PAIRS, Pair, act
from tests.skills.told_codes import codes_of, refusals
from tests.tools.conftest import actor_of
from tests.tools.factories import ToolFactory
from tools.enums import CallStatus
from tools.models import ToolCall
from tools.testing import EXPLODE, SLOW

pytestmark = [pytest.mark.django_db, pytest.mark.both, pytest.mark.usefixtures("agents", "peer")]

pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.rule)


@pytest.fixture
def people(alice: User, bob: User, project: Project) -> dict[str, User]:
    return {"alice": alice, "bob": bob}


# --- The gate ---


@pairs
def test_this_passes(pair: Pair, people: dict[str, User], peer: Any) -> None:
    outcome = act(pair.allowed, people)
    assert outcome.success, outcome.error
    assert peer.executed == ["hello"]


@pairs
def test_and_its_twin_does_not(pair: Pair, people: dict[str, User], peer: Any) -> None:
    outcome = act(pair.refused, people)
    decided = outcome.call.decision or {}
    said = {one["gate"]: (one["outcome"], one["reason_code"]) for one in decided["reasons"]}
    wanted = "needs_confirmation" if pair.asks else "deny"
    assert said[pair.gate] == (wanted, pair.code)
    assert [name for name, (told, _code) in said.items() if told != "allow"] == [pair.gate]
    assert (outcome.success, outcome.draft is not None) == (False, pair.asks)
    status = CallStatus.NEEDS_CONFIRMATION if pair.asks else CallStatus.DENIED
    assert ToolCall.objects.get().status == status
    assert peer.executed == []


# --- The runner ---


def malformed(_skill: Any, _output: Any) -> str:
    raise ValueError


RUNNER: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    (
        "calls per turn",
        {"attributes": {"max_calls_per_turn": 2}, "number": 1},
        {"attributes": {"max_calls_per_turn": 1}, "number": 1},
        "too_many_calls",
    ),
    ("in time", {}, {"text": SLOW}, "timeout"),
    ("it works", {}, {"text": EXPLODE}, "tool_error"),
    (
        "its input is valid",
        {"attributes": {"build_input": lambda _skill, _context: {"text": "hello"}}},
        {"attributes": {"build_input": lambda _skill, _context: {"words": 1}}},
        "invalid_input",
    ),
    (
        "its output is valid",
        {},
        {"attributes": {"build_system_instruction": malformed}},
        "invalid_output",
    ),
    ("its tool is there", {}, {"tool": False}, "tool_missing"),
    ("it was granted", {}, {"granted": False}, "permission_missing"),
]
runner_pairs = pytest.mark.parametrize(
    ("passes", "twin", "code"), [row[1:] for row in RUNNER], ids=[row[0] for row in RUNNER]
)


def use(
    user: User,
    *,
    text: str = "hello",
    number: int = 0,
    tool: bool = True,
    granted: bool = True,
    attributes: dict[str, Any] | None = None,
) -> tuple[RunStatus, str]:
    if tool:
        ToolFactory.create(type="fake_echo", slug="fake_echo")
    if granted:
        make_grant(user)
    actor = actor_of(user, Origin.CHAT, agent_id=AGENT, conversation_id=uuid4())
    context = SkillContext(actor=actor, text=text, message_id=uuid4())
    with registry.only(skill(attributes=attributes)):
        found: Any = registry.get_skill("echo")
        outcome = run_tool_skill(found, context, number=number)
    assert bool(outcome.instruction)
    return outcome.status, outcome.error_code


@runner_pairs
def test_this_use_comes_to_something(
    alice: User, passes: dict[str, Any], twin: dict[str, Any], code: str
) -> None:
    assert use(alice, **passes) == ("succeeded", "")


@runner_pairs
def test_and_its_twin_to_nothing(
    alice: User, passes: dict[str, Any], twin: dict[str, Any], code: str
) -> None:
    status, told = use(alice, **twin)
    assert (status != "succeeded", told) == (True, code)


# --- The selector ---


OFF = Given(switches=(("echo", None, False),))
SELECTOR: dict[str, dict[str, Any]] = {
    "no_match": {"text": "hello"},
    "wrong_scope": {"scope": SkillScope.GROUP_CHAT},
    "disabled": {"given": OFF},
}


def proposed(
    user: User,
    *,
    text: str = "/echo",
    scope: SkillScope = SkillScope.SINGLE_CHAT,
    given: Given | None = None,
) -> tuple[bool, str]:
    context = SkillContext(actor=actor_of(user), text=text, scope=scope)
    with registry.only(skill()):
        found = select(context, given or Given(), SkillKind.TOOL)
    return found.skill is not None, found.rejected


@pytest.mark.parametrize(("code", "differs"), SELECTOR.items(), ids=SELECTOR)
def test_a_message_asks_for_a_skill_and_its_twin_does_not(
    alice: User, code: str, differs: dict[str, Any]
) -> None:
    assert proposed(alice) == (True, "")
    assert proposed(alice, **differs) == (False, code)


# --- None is left out ---


def test_each_code_by_which_the_gate_refuses_has_its_pair() -> None:
    told = refusals()
    assert {"unknown_skill", "permission_missing", "per_operation"} <= told  # it looks
    told.remove("workflow_over")  # of a card that is there already: test_failed_cards.py
    assert told == {pair.code for pair in PAIRS if pair.gate == "grant"}


def test_so_has_each_code_of_the_runner_and_of_the_selector() -> None:
    told = codes_of(runner, "_failed") - {"skill_failed"}  # of a prompt skill
    assert "too_many_calls" in told
    assert told <= {row[3] for row in RUNNER} | {"tool_error"}
    assert set(get_args(Rejection.__value__)) - {""} == set(SELECTOR)
