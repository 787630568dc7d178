"""Which messages ask for which skill: it proposes, and never for what is off or elsewhere."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.base.actor import Actor, Origin
from config.base.models import User
from skills.context import SkillContext
from skills.enums import MatchedBy, SkillKind, SkillScope
from skills.given import Given
from skills.manifests import Matchers
from skills.messages import LONGEST
from skills.registry import get_skill
from skills.selector import Selection, select
from tests.skills.conftest import AGENT
from tests.skills.factories import Echo, Tone, skill

RECALL = skill(
    skill_id="recall",
    matchers=Matchers(
        explicit=("/recall",),
        phrases={"en": ("do you remember", "my plan"), "zh-hans": ("你还记得",)},
        patterns={"en": (r"\bwhat did i (?:say|tell)\b",), "zh-hans": (r"我.{0,6}说过",)},
    ),
)()
SAY = skill(skill_id="say", matchers=Matchers(explicit=("/say",), phrases={"en": ("my plan b",)}))()
TONE = skill(Tone, skill_id="tone", matchers=Matchers(phrases={"en": ("be brief",)}))()
ALL = (RECALL, SAY, TONE)
AGENTS_OFF = Given(switches=(("recall", AGENT, False),))


def context(text: str, **facts: Any) -> SkillContext:
    actor = Actor(user=User(username="alice"), origin=Origin.CHAT, agent_id=AGENT)
    return SkillContext(actor=actor, text=text, **facts)


def chosen(text: str, given: Given | None = None, kind: SkillKind = SkillKind.TOOL) -> Any:
    found = select(context(text), given or Given(), kind, ALL)
    return found.skill and found.skill.manifest.skill_id


@pytest.mark.parametrize(
    ("text", "skill_id", "how"),
    [
        ("/recall", "recall", MatchedBy.EXPLICIT),
        ("  /RECALL  what I like", "recall", MatchedBy.EXPLICIT),
        ("／recall 我喜欢什么", "recall", MatchedBy.EXPLICIT),
        ("Hello! Do you  remember\nmy birthday?", "recall", MatchedBy.PHRASE),
        ("你还记得我喜欢什么吗", "recall", MatchedBy.PHRASE),
        ("what did I tell you about tea?", "recall", MatchedBy.PATTERN),
        ("我上次说过什么？", "recall", MatchedBy.PATTERN),
        ("my plan b, please", "say", MatchedBy.PHRASE),
        ("/say do you remember", "say", MatchedBy.EXPLICIT),
        ("my plan: /say", "recall", MatchedBy.PHRASE),
    ],
)
def test_it_finds_what_is_asked_for(text: str, skill_id: str, how: MatchedBy) -> None:
    found = select(context(text), Given(), SkillKind.TOOL, ALL)
    assert found.skill is not None
    assert (found.skill.manifest.skill_id, found.matched_by, found.rejected) == (skill_id, how, "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What is the weather like?",
        "今天天气怎么样",
        "/recalls",
        "/rec",
        "please /recall",
        "my planet",
        "undo you remembering",
        "be brief",
    ],
)
def test_an_ordinary_message_asks_for_none(text: str) -> None:
    assert select(context(text), Given(), SkillKind.TOOL, ALL) == Selection()


def test_only_skills_of_the_kind_are_proposed() -> None:
    assert chosen("be brief", kind=SkillKind.PROMPT) == "tone"
    assert chosen("/recall", kind=SkillKind.PROMPT) is None


@pytest.mark.parametrize("text", ["/recall", "do you remember me", "what did i say"])
def test_what_is_switched_off_is_never_proposed(text: str) -> None:
    found = select(context(text), AGENTS_OFF, SkillKind.TOOL, ALL)
    assert (found.skill, found.rejected) == (None, "disabled")
    assert chosen(text) == "recall"


@pytest.mark.parametrize("text", ["/recall", "do you remember me", "what did i say"])
def test_in_a_group_chat_what_is_for_one_person_is_never_proposed(text: str) -> None:
    found = select(context(text, scope=SkillScope.GROUP_CHAT), Given(), SkillKind.TOOL, ALL)
    assert (found.skill, found.rejected) == (None, "wrong_scope")


def test_when_the_best_is_off_the_next_best_is_proposed() -> None:
    assert chosen("my plan b", Given(switches=(("say", None, False),))) == "recall"


def test_one_that_is_off_as_shipped_has_to_be_switched_on() -> None:
    shy = skill(Echo, enabled=False)()
    assert select(context("/echo"), Given(), SkillKind.TOOL, [shy]).rejected == "disabled"
    on = Given(switches=(("echo", None, True),))
    assert select(context("/echo"), on, SkillKind.TOOL, [shy]).skill is shy


def test_the_installed_ones_are_searched_when_none_are_named() -> None:
    found = select(context("/weekly-review"), Given(), SkillKind.PROMPT)
    assert found.skill is get_skill("weekly-review")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/weekly-review", True),
        ("Can we do my weekly review?", True),
        ("Let's recap the past week", True),
        ("我们来做每周复盘吧", True),
        ("帮我总结一下这周", True),
        ("Next week I am away", False),
        ("review this document", False),
        ("这周天气怎么样", False),
    ],
)
def test_the_weekly_review_is_found_in_both_languages(text: str, found: bool) -> None:
    selection = select(context(text), Given(), SkillKind.PROMPT)
    assert (selection.skill is not None) == found


@given(st.text())
def test_any_message_gets_an_answer_and_the_same_each_time(text: str) -> None:
    first = select(context(text), Given(), SkillKind.TOOL, ALL)
    assert first == select(context(text), Given(), SkillKind.TOOL, ALL)
    assert (first.skill is None) == (first.matched_by is None)


def test_only_the_beginning_of_a_long_message_is_looked_at() -> None:
    assert chosen("x " * LONGEST + "do you remember") is None
    assert chosen("do you remember " + "x " * LONGEST) == "recall"
