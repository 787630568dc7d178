"""What a step takes for an answer, how it is kept and shown; what it refuses, with a question."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skills.errors import AnswerRefused
from skills.steps import ChoiceStep, DateTimeStep, ListStep, Reading, Step, TextStep

HERE = Reading(now=datetime(2026, 11, 30, 15, 0, tzinfo=UTC), time_zone="Asia/Shanghai")
TEXT = TextStep(name="title", label="Title", question="?", aliases=("标题",), max_length=20)
NAMES = ListStep(
    name="people", label="People", question="?", separators=",，、", max_items=3, max_length=10
)
LINES = ListStep(name="lines", label="Lines", question="?")
COLOUR = ChoiceStep(
    name="colour",
    label="Colour",
    question="?",
    choices={"red": "Red", "green": "Green"},
    aliases_of={"red": ("红",), "green": ("绿",)},
)
WHEN = DateTimeStep(name="when", label="When", question="?")


@pytest.mark.parametrize(
    ("step", "said", "kept"),
    [
        (TEXT, "  Budget\n 2027 ", "Budget 2027"),
        (TEXT, "a\x00b", "ab"),
        (NAMES, "Ann, Bob、小安", ["Ann", "Bob", "小安"]),
        (NAMES, "Ann, Ann,", ["Ann"]),
        (LINES, "- cut costs, at once\n2. hire; fire", ["cut costs, at once", "hire", "fire"]),
        (LINES, "-5 degrees", ["-5 degrees"]),
        (COLOUR, "RED.", "red"),
        (COLOUR, "2", "green"),
        (COLOUR, "绿", "green"),
        (WHEN, "2026-12-01 09:30", "2026-12-01T01:30:00+00:00"),
        (WHEN, "2026-12-01T09:30", "2026-12-01T01:30:00+00:00"),
        (WHEN, "明天 9:30", "2026-12-01T01:30:00+00:00"),
        (WHEN, "Tomorrow at 9:30", "2026-12-01T01:30:00+00:00"),
        (WHEN, "today 23:59", "2026-11-30T15:59:00+00:00"),
    ],
)
def test_an_answer_is_kept(step: Step, said: str, kept: Any) -> None:
    assert step.read(said, HERE) == kept


@pytest.mark.parametrize(
    ("step", "said", "why"),
    [
        (TEXT, " \n ", "in a few words"),
        (TEXT, "x" * 21, "21 characters, and 20 are the most"),
        (NAMES, ", ,", "at least one"),
        (NAMES, "a,b,c,d", "At most 3"),
        (NAMES, "a" * 11, "too long"),
        (COLOUR, "blue", "1 Red, 2 Green"),
        (COLOUR, "3", "1 Red, 2 Green"),
        (WHEN, "soon", "2026-12-01 15:00"),
        (WHEN, "2026-02-30 10:00", "2026-12-01 15:00"),
        (WHEN, "2026-12-01 25:00", "2026-12-01 15:00"),
        (WHEN, "0000-01-01 10:00", "2026-12-01 15:00"),
    ],
)
def test_what_is_none_is_refused_with_a_question(step: Step, said: str, why: str) -> None:
    with pytest.raises(AnswerRefused, match=why):
        step.read(said, HERE)


def test_a_time_that_the_clocks_leave_out_is_refused() -> None:
    berlin = Reading(now=HERE.now, time_zone="Europe/Berlin")
    with pytest.raises(AnswerRefused, match="no such time"):
        WHEN.read("2027-03-28 02:30", berlin)


def test_answers_are_shown_in_one_line() -> None:
    assert LINES.show(["a", "b"]) == "a; b"
    assert COLOUR.show("red") == "Red"
    assert TEXT.show("Budget") == "Budget"


def test_a_step_is_found_by_what_a_person_calls_it() -> None:
    assert all(TEXT.is_called(name) for name in ("title", "TITLE ", "标题", "Title"))
    assert not TEXT.is_called("name")


@pytest.mark.parametrize("step", [TEXT, NAMES, LINES, COLOUR, WHEN], ids=lambda step: step.name)
@given(said=st.text(max_size=60))
def test_whatever_is_said_is_kept_or_refused(step: Step, said: str) -> None:
    kept = None
    with suppress(AnswerRefused):
        kept = step.read(said, HERE)
    if kept is not None:
        assert step.show(kept)
        assert "\n" not in step.show(kept)
