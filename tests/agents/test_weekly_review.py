"""The weekly review through whole turns: asked for, found, told to the model, written down."""

import pytest

from agents.model_clients.rules import RulesClient
from agents.models import Agent, Message, RunSkill
from agents.testing import ScriptedClient
from config.base.actor import Actor, Origin
from config.base.models import User
from skills.bindings import switch_skill
from skills.context import SkillContext
from skills.enums import SkillKind, SkillScope
from skills.given import Given
from skills.models import SkillRun
from skills.registry import get_skill
from skills.selector import select
from tests.agents.conftest import Turn, says
from tools.models import ToolCall

pytestmark = [pytest.mark.django_db, pytest.mark.both]

SKILL = "weekly-review"
ASKED = {
    "command": "/weekly-review",
    "command with more": "/weekly-review and be short",
    "phrase": "Can we look back on my week, please?",
    "pattern": "Help me to recap a bit of the last week",
    "Chinese phrase": "我们来做一次每周复盘吧",
    "Chinese pattern": "帮我总结一下这周",
}
NOT_ASKED = {
    "another word": "What is a week?",
    "a command within": "I typed /weekly-reviews yesterday",
    "another Chinese word": "这周天气怎么样？",
}


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def told(model: ScriptedClient) -> list[str]:
    """What stands behind the person's message."""
    messages = model.requests[0].messages
    at = max(n for n, one in enumerate(messages) if one.role == "user")
    return [one.content for one in messages[at + 1 :]]


@pytest.mark.parametrize("text", ASKED.values(), ids=ASKED)
def test_its_instruction_reaches_the_model_and_its_use_is_written_down(
    text: str, alice: User, guide: Agent, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [says("What went well?")]
    run = turn(alice, text)
    (instruction,) = told(model)
    assert "Done, Stuck, Learned, Next week" in instruction
    asked = Message.objects.get(run=run, role="user")
    use = SkillRun.objects.get()
    assert (use.skill_id, use.version, use.kind, use.status) == (
        SKILL,
        get_skill(SKILL).manifest.version,
        "prompt",
        "succeeded",
    )
    assert (use.user, use.message_id, use.agent_id) == (alice, asked.pk, guide.pk)
    assert (use.error_code, use.tool_call_id) == ("", None)
    assert Message.objects.get(run=run, role="assistant").text == "What went well?"
    assert not ToolCall.objects.exists()


@pytest.mark.parametrize("text", NOT_ASKED.values(), ids=NOT_ASKED)
def test_what_does_not_ask_for_it_is_a_message_like_any_other(
    text: str, alice: User, turn: Turn, model: ScriptedClient
) -> None:
    model.script = [says("Well.")]
    turn(alice, text)
    assert told(model) == []
    assert not SkillRun.objects.exists()


@pytest.mark.parametrize("of_agent", [False, True])
def test_switched_off_its_words_are_a_message_like_any_other(
    of_agent: bool, alice: User, guide: Agent, turn: Turn, model: ScriptedClient
) -> None:
    switch_skill(page(alice), SKILL, enabled=False, agent_id=guide.pk if of_agent else None)
    model.script = [says("Well.")]
    turn(alice, "帮我总结一下这周")
    assert told(model) == []
    assert not SkillRun.objects.exists()
    assert not RunSkill.objects.exists()


@pytest.mark.parametrize("of_agent", [False, True])
def test_switched_off_its_command_is_told_so(
    of_agent: bool, alice: User, guide: Agent, turn: Turn, model: ScriptedClient
) -> None:
    switch_skill(page(alice), SKILL, enabled=False, agent_id=guide.pk if of_agent else None)
    model.script = [says("It is off.")]
    turn(alice, "/weekly-review")
    [instruction] = told(model)
    assert "“Weekly review” is switched off" in instruction
    use = SkillRun.objects.get()
    assert (use.status, use.error_code) == ("denied", "skill_disabled")


def test_what_bob_switched_off_is_on_for_alice(
    alice: User, bob: User, turn: Turn, model: ScriptedClient
) -> None:
    switch_skill(page(bob), SKILL, enabled=False)
    model.script = [says("What went well?")]
    turn(alice, "/weekly-review")
    assert len(told(model)) == 1


@pytest.mark.parametrize("text", ASKED.values(), ids=ASKED)
def test_among_several_people_it_is_not_proposed(text: str, alice: User) -> None:
    context = SkillContext(actor=page(alice), text=text, scope=SkillScope.GROUP_CHAT)
    found = select(context, Given(), SkillKind.PROMPT)
    assert (found.skill, found.rejected) == (None, "wrong_scope")


@pytest.mark.parametrize(
    ("text", "said"), [("/weekly-review", "offline model"), ("帮我总结一下这周", "离线模型")]
)
def test_offline_it_says_that_it_can_not_follow(
    text: str, said: str, alice: User, turn: Turn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.runs.drive.client_for", lambda agent: RulesClient())
    run = turn(alice, text)
    assert said in Message.objects.get(run=run, role="assistant").text
    use = SkillRun.objects.get()
    assert (use.status, use.error_code) == ("failed", "skill_unfollowed")
