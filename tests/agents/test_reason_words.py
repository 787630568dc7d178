"""Each code by which a skill is refused or fails can be chosen for an alert, and has its words."""

from agents.views.skills.uses import REASONS as IN_WORDS
from skills import runner, runs
from skills.alerts.choices import REASONS as CHOSEN
from skills.errors import PermissionMissing, SkillOff
from tests.skills.told_codes import codes_of, refusals
from tools.decisions import Reason


def test_each_refusal_can_be_chosen_for_an_alert() -> None:
    assert "workflow_over" in refusals()  # it looks
    assert refusals() <= CHOSEN


def test_each_refusal_and_each_failure_is_said_in_words() -> None:
    told = refusals() | codes_of(runner, "_failed") | {runs.UNFOLLOWED}
    told |= {PermissionMissing.code, SkillOff.code}
    assert {"too_many_calls", "skill_unfollowed"} <= told
    assert told - IN_WORDS.keys() == set()


def test_so_is_what_a_caller_is_told_of_a_gate_that_refuses() -> None:
    usual = Reason.__dataclass_fields__["denied_code"].default
    assert {usual, "quota_exceeded"} <= IN_WORDS.keys()
