"""How a tool skill runs for a message, and what the agent is told however it ends."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from config.base.actor import Origin
from config.base.models import User
from skills import registry
from skills.context import SkillContext
from skills.enums import ApprovalMode, RunStatus
from skills.grants import Permission, grant_permission, revoke_permission
from skills.models import AuditEvent, SkillRun
from skills.registry import get_skill
from skills.runner import SkillOutcome, run_tool_skill
from tests.skills.conftest import AGENT
from tests.skills.factories import READ, permission, skill
from tests.tools.conftest import actor_of
from tools.enums import Risk
from tools.models import Tool, ToolCall, ToolCallContent
from tools.testing import EXPLODE, REFUSE, SLOW, FakeDirectory

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.both,
    pytest.mark.usefixtures("agents", "echo", "tool"),
]

MARKER = "xyzzy-what-alice-said"


def ask(
    user: User, text: str = "hello", *, message: UUID | None = None, **how: Any
) -> SkillOutcome:
    actor = actor_of(user, Origin.CHAT, agent_id=AGENT, conversation_id=uuid4())
    context = SkillContext(actor=actor, text=text, message_id=message or uuid4())
    return run_tool_skill(get_skill("echo"), context, **how)  # type: ignore[arg-type]  # a tool skill


@pytest.fixture
def granted(alice: User) -> User:
    grant_permission(actor_of(alice), Permission(skill_id="echo", code=READ))
    return alice


def last() -> tuple[SkillRun, ToolCall]:
    run = SkillRun.objects.latest("started_at")
    assert run.tool_call_id
    return run, ToolCall.objects.get(pk=run.tool_call_id)


def test_it_calls_the_tool_and_tells_the_agent(granted: User) -> None:
    outcome = ask(granted)
    assert (outcome.status, outcome.instruction) == ("succeeded", "It says: hello")
    run, call = last()
    assert (run.status, run.kind, run.version) == ("succeeded", "tool", "1.0.0")
    assert run.finished_at is not None
    assert (call.origin, call.skill, call.skill_version) == ("skill", "echo", "1.0.0")
    assert call.idempotency_key == f"skill:fake_echo:{run.message_id}:0"


def test_without_a_grant_nothing_is_called_and_the_agent_is_told_where(
    alice: User, peer: Any
) -> None:
    outcome = ask(alice)
    assert (outcome.status, outcome.error_code) == ("denied", "permission_missing")
    assert READ in outcome.instruction
    assert "/skills/" in outcome.instruction
    assert peer.executed == []
    assert not ToolCall.objects.exists()
    assert SkillRun.objects.get().status == "denied"
    event = AuditEvent.objects.get(action="policy.decided")
    assert (event.outcome, event.skill, event.reason_code) == (
        "denied",
        "echo",
        "permission_missing",
    )


def test_a_grant_that_was_taken_back_counts_no_more(granted: User, peer: Any) -> None:
    ask(granted)
    revoke_permission(actor_of(granted), Permission(skill_id="echo", code=READ))
    assert ask(granted).status == "denied"
    assert peer.executed == ["hello"]


def test_input_that_does_not_fit_calls_nothing(granted: User, peer: Any) -> None:
    unfit = skill(attributes={"build_input": lambda _self, _context: {"words": 1}})
    raising = skill(attributes={"build_input": lambda _self, _context: 1 / 0})
    for one in (unfit, raising):
        with registry.only(one):
            outcome = ask(granted)
            assert (outcome.status, outcome.error_code) == ("invalid", "invalid_input")
            assert "Never invent" in outcome.instruction
    assert peer.executed == []


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        (EXPLODE, "failed", "tool_error"),
        (REFUSE, "failed", "refused"),
        (SLOW, "timeout", "timeout"),
    ],
)
def test_a_failure_is_recorded_and_never_papered_over(
    granted: User, text: str, status: str, code: str
) -> None:
    outcome = ask(granted, text)
    assert (outcome.status, outcome.error_code) == (status, code)
    assert "nothing was recalled" in outcome.instruction
    run, call = last()
    assert (run.status, run.error_code, call.error_code) == (status, code, code)


def test_a_result_that_comes_late_is_no_result(granted: User, monkeypatch: Any) -> None:
    clock = iter(range(0, 10_000, 5))
    monkeypatch.setattr("tools.pipeline.time.monotonic", lambda: float(next(clock)))
    assert ask(granted).status == "timeout"


def test_output_that_does_not_fit_tells_the_agent_nothing(granted: User) -> None:
    def build(_self: Any, _output: Any) -> str:
        raise ValueError

    with registry.only(skill(attributes={"build_system_instruction": build})):
        outcome = ask(granted)
    assert (outcome.status, outcome.error_code) == ("failed", "invalid_output")
    assert "hello" not in outcome.instruction


def test_the_same_message_again_makes_no_second_row(granted: User, peer: Any) -> None:
    message = uuid4()
    for _again in range(2):
        assert ask(granted, message=message).status == "succeeded"
    assert peer.executed == ["hello", "hello"]
    assert ToolCall.objects.count() == SkillRun.objects.count() == 1


def test_the_same_message_with_other_words_is_refused(granted: User) -> None:
    message = uuid4()
    ask(granted, message=message)
    assert ask(granted, "other", message=message).error_code == "idempotency_key_reused"


def test_calls_per_turn_are_limited(granted: User, peer: Any) -> None:
    message = uuid4()
    with registry.only(skill(attributes={"max_calls_per_turn": 2})):
        for number, status in enumerate(("succeeded", "succeeded", "failed")):
            assert ask(granted, message=message, number=number).status == status
    assert len(peer.executed) == 2


def test_a_call_is_of_a_message_and_has_its_number(granted: User, peer: Any) -> None:
    """Without either two calls would be taken for one."""
    nowhere = SkillContext(actor=actor_of(granted, Origin.CHAT, agent_id=AGENT), text="hello")
    with pytest.raises(ValueError, match="for a message"):
        run_tool_skill(get_skill("echo"), nowhere)  # type: ignore[arg-type]  # a tool skill
    with pytest.raises(ValueError, match="from 0"):
        ask(granted, number=-1)
    assert (peer.executed, SkillRun.objects.count()) == ([], 0)


def test_what_is_confirmed_each_time_waits_on_a_card(granted: User, peer: Any) -> None:
    each = permission(READ, ApprovalMode.PER_OPERATION, Risk.L3)
    with registry.only(skill(permissions=(each,))):
        outcome = ask(granted)
    assert (outcome.status, outcome.draft is not None) == (RunStatus.WAITING, True)
    assert peer.executed == []


def test_an_agents_own_demand_for_approval_holds_for_skills(granted: User, peer: Any) -> None:
    FakeDirectory.tool_sets[AGENT] = {"fake_echo": True}
    assert ask(granted).status == "waiting"
    FakeDirectory.tool_sets[AGENT] = {}
    assert ask(granted).status == "succeeded"


def test_a_tool_that_is_off_or_gone_is_not_called(granted: User, tool: Tool, peer: Any) -> None:
    Tool.objects.update(enabled=False)
    assert (ask(granted).status, ask(granted).error_code) == ("denied", "denied")
    Tool.objects.all().delete()
    assert ask(granted).error_code == "tool_missing"
    assert peer.executed == []


def test_no_content_is_kept(granted: User) -> None:
    for text in (MARKER, f"{MARKER} {SLOW}"):
        assert ask(granted, text).status == "succeeded"
    for model in (SkillRun, ToolCall, ToolCallContent, AuditEvent):
        assert MARKER not in str(list(model._default_manager.values()))
