"""What the tool type `text` answers, what it refuses, and that no pattern runs on."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.base.models import User
from tests.tools.api import Api
from tools.bounded.failures import Refused
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.models import Tool
from tools.types.text import differences, patterns
from tools.types.text.operation_table import OPERATION_ARGUMENTS
from tools.types.text.operations import Answer, run
from tools.types.text.schemas import TextConfig, TextInput, TextOutput
from tools.types.text.tool import TextType

type Arguments = dict[str, Any]

TOO_LONG = "It ran too long and was stopped."
SLOW_PATTERN = "(a|a)*b"
PATIENT = 10_000  # for what is not about the time, however busy the machine is


def answer(operation: str, text: str, *, limits: Arguments | None = None, **more: Any) -> Answer:
    arguments = TextInput.model_validate({"operation": operation, "text": text, **more})
    found = run(arguments, TextConfig(**{"pattern_timeout_ms": PATIENT, **(limits or {})}))
    TextOutput.model_validate({"result": found.result})
    return found


def result(operation: str, text: str, **more: Any) -> Any:
    return answer(operation, text, **more).result


def failure_of(operation: str, text: str, **more: Any) -> ToolFailure:
    with pytest.raises(ToolFailure) as caught:
        answer(operation, text, **more)
    assert caught.value.message
    return caught.value


# --- Right answers ---


@pytest.mark.parametrize(
    ("text", "characters", "words", "lines"),
    [
        ("", 0, 0, 0),
        ("one", 3, 1, 1),
        ("don't e-mail 3.14 — now\n", 24, 4, 1),
        ("a\n\nb\r\nc\rd", 9, 4, 5),
        ("你好，世界", 5, 4, 1),
        ("用Python写的", 9, 4, 1),
        ("日本語とカナ。", 7, 6, 1),
        ("안녕 세계", 5, 2, 1),
        ("hello，world", 11, 2, 1),
        ("𠀀\N{GRINNING FACE}", 2, 1, 1),
    ],
)
def test_it_counts_characters_words_and_lines(
    text: str, characters: int, words: int, lines: int
) -> None:
    counts = result("count", text)
    assert (counts["characters"], counts["words"], counts["lines"]) == (characters, words, lines)


def test_it_counts_white_space_and_bytes_apart() -> None:
    counts = result("count", "é 你\n")
    assert (counts["characters_without_spaces"], counts["bytes"]) == (2, 7)


def test_it_extracts_matches_with_place_and_groups() -> None:
    found = result("extract", "ann@x.org, Bob@y", pattern=r"(\w+)@(?P<host>\w+)(\.org)?")
    assert found == [
        {
            "text": "ann@x.org",
            "start": 0,
            "groups": ["ann", "x", ".org"],
            "named": {"host": "x"},
        },
        {"text": "Bob@y", "start": 11, "groups": ["Bob", "y", None], "named": {"host": "y"}},
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"pattern": r"\d+"}, [("1", 1), ("22", 3)]),
        ({"pattern": r"(\w)(?P<n>\d+)", "group": "n"}, [("1", 1), ("22", 3)]),
        ({"pattern": r"(\w)(\d+)", "group": 1}, [("a", 0), ("b", 2)]),
        ({"pattern": r"a(\d)|b", "group": "1"}, [("1", 1)]),
        ({"find": "B"}, []),
        ({"find": "B", "ignore_case": True}, [("b", 2)]),
        ({"pattern": r"\w", "count": 2}, [("a", 0), ("1", 1)]),
    ],
)
def test_it_extracts_what_is_asked_for(
    arguments: Arguments, expected: list[tuple[str, int]]
) -> None:
    found = result("extract", "a1b22", **arguments)
    assert [(match["text"], match["start"]) for match in found] == expected


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("a.b.c", {"find": ".", "replacement": r"\1"}, r"a\1b\1c"),
        ("a.b.c", {"find": ".", "replacement": "", "count": 1}, "ab.c"),
        ("2026-11-29", {"pattern": r"(\d+)-(\d+)-(\d+)", "replacement": r"\3/\2/\1"}, "29/11/2026"),
        ("ab", {"pattern": "(?P<x>a)", "replacement": r"<\g<x>>"}, "<a>b"),
        ("Ab", {"pattern": "a", "replacement": "x", "ignore_case": True}, "xb"),
        ("abc", {"pattern": "x*", "replacement": "-"}, "-a-b-c-"),
        ("a\nb", {"pattern": "(?m)^", "replacement": "> "}, "> a\n> b"),
        ("", {"find": "a", "replacement": "b"}, ""),
    ],
)
def test_it_replaces_plain_text_and_patterns(
    text: str, arguments: Arguments, expected: str
) -> None:
    assert result("replace", text, **arguments) == expected


@pytest.mark.parametrize(
    ("text", "arguments", "expected"),
    [
        ("a, b,c", {"pattern": r",\s*"}, ["a", "b", "c"]),
        ("a1b2c", {"pattern": r"(\d)"}, ["a", "b", "c"]),
        ("a.b.c", {"find": ".", "count": 1}, ["a", "b.c"]),
        ("aXbxc", {"find": "x", "ignore_case": True}, ["a", "b", "c"]),
        ("abc", {"find": "x"}, ["abc"]),
    ],
)
def test_it_splits_at_matches(text: str, arguments: Arguments, expected: list[str]) -> None:
    assert result("split", text, **arguments) == expected


def test_it_shows_a_difference_as_a_unified_diff() -> None:
    diff = result("diff", "a\nb\nc\n", other="a\nB\nc", context=1)
    assert diff.splitlines() == [
        "--- text",
        "+++ other",
        "@@ -1,3 +1,3 @@",
        " a",
        "-b",
        "-c",
        "+B",
        "+c",
        "\\ No newline at end of file",
    ]
    assert result("diff", "a\nb", other="a\nb") == ""


def test_another_line_ending_is_a_difference() -> None:
    assert "-a\r\n+a\n" in result("diff", "a\r\n", other="a\n")


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("upper", "THEY'RE IN STRASSE 2B, ÉTÉ"),
        ("lower", "they're in straße 2b, été"),
        ("title", "They're In Straße 2B, Été"),
        ("fold", "they're in strasse 2b, été"),
    ],
)
def test_it_changes_case(case: str, expected: str) -> None:
    assert result("case", "they're IN straße 2b, Été", case=case) == expected


@pytest.mark.parametrize(
    ("text", "ignore_case", "expected"),
    [
        ("b\na\nb\nB\n", False, "b\na\nB\n"),
        ("b\na\nB\r\na", True, "b\na"),
        ("", False, ""),
        ("\n\n", False, "\n"),
    ],
)
def test_it_keeps_the_first_of_equal_lines(text: str, ignore_case: bool, expected: str) -> None:
    assert result("dedupe", text, ignore_case=ignore_case) == expected


# --- Misuse ---


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        ("extract", {"pattern": ""}, "empty"),
        ("split", {"find": ""}, "empty"),
        ("extract", {"pattern": "("}, "pattern"),
        ("extract", {"pattern": "a{99999999999}"}, "pattern"),
        ("extract", {"pattern": "a{" + "9" * 900 + "}"}, "pattern"),
        ("replace", {"pattern": "[b-a]", "replacement": ""}, "pattern"),
        ("extract", {"pattern": "(a)", "group": 2}, "group"),
        ("extract", {"pattern": "(a)", "group": -1}, "group"),
        ("extract", {"pattern": "(?P<x>a)", "group": "y"}, "group"),
        ("replace", {"pattern": "z", "replacement": r"\1"}, "replacement"),
        ("replace", {"pattern": "z", "replacement": r"\g<x>"}, "replacement"),
        ("replace", {"pattern": "z", "replacement": r"\d"}, "replacement"),
        ("replace", {"pattern": "z", "replacement": r"\g<" + "9" * 5_000 + ">"}, "replacement"),
    ],
)
def test_what_can_not_be_done_has_a_code(operation: str, arguments: Arguments, code: str) -> None:
    assert failure_of(operation, "some text", **arguments).code == code


@pytest.mark.parametrize(
    ("limits", "operation", "arguments"),
    [
        ({"max_text_chars": 8}, "count", {}),
        ({"max_text_chars": 9}, "diff", {"other": "longer text"}),
        ({"max_text_chars": 9}, "replace", {"find": "t", "replacement": "xx"}),
        ({"max_text_chars": 9}, "replace", {"find": "some", "replacement": "other"}),
        ({"max_text_chars": 20}, "diff", {"other": "another"}),
        ({"max_pattern_chars": 4}, "extract", {"pattern": "a|b|c"}),
        ({"max_matches": 2}, "split", {"pattern": "e"}),
        ({"max_matches": 8}, "replace", {"pattern": ".", "replacement": "x"}),
    ],
)
def test_each_limit_of_the_config_holds(
    limits: Arguments, operation: str, arguments: Arguments
) -> None:
    text = "some teXt" if operation != "split" else "e e e"
    assert failure_of(operation, text, limits=limits, **arguments).code == "limit"


@pytest.mark.parametrize(
    ("limits", "pattern", "kept"),
    [({"max_matches": 2}, ".", 2), ({"max_text_chars": 5}, "((.))", 1)],
)
def test_matches_past_a_limit_are_left_out_and_it_says_so(
    limits: Arguments, pattern: str, kept: int
) -> None:
    found = answer("extract", "abcde", pattern=pattern, limits=limits)
    assert (len(found.result), found.truncated) == (kept, True)


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "count", "text": "a", "pattern": "a"},
        {"operation": "extract", "text": "a"},
        {"operation": "extract", "text": "a", "pattern": "a", "find": "a"},
        {"operation": "replace", "text": "a", "find": "a"},
        {"operation": "case", "text": "a", "case": "camel"},
        {"operation": "extract", "text": "a", "find": "a", "count": 0},
        {"operation": "translate", "text": "a"},
    ],
)
def test_arguments_that_do_not_fit_the_operation_are_refused(arguments: Arguments) -> None:
    with pytest.raises(ValueError, match="validation error"):
        TextInput.model_validate(arguments)


# --- Hostile ---

ENDLESS: dict[str, Arguments] = {
    "alternatives": {"operation": "extract", "pattern": SLOW_PATTERN},
    "nested repeats": {"operation": "extract", "pattern": "(a+)+$(?<!a)"},
    "in a replace": {"operation": "replace", "pattern": SLOW_PATTERN, "replacement": ""},
    "in a split": {"operation": "split", "pattern": "(a*)*b"},
    "repeats of repeats": {
        "operation": "extract",
        "pattern": "(?:" * 8 + "a" + "{1,999})" * 8 + "b",
    },
}


@pytest.mark.parametrize("arguments", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_pattern_that_runs_on_is_stopped(arguments: Arguments) -> None:
    given = {"text": "a" * 60 + "!", "limits": {"pattern_timeout_ms": 1_000}, **arguments}
    failure = failure_of(**given)
    assert (failure.code, failure.message) == ("limit", TOO_LONG)


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation": "extract", "pattern": "(" * 4_000 + "a" + ")" * 4_000},
        {"operation": "replace", "pattern": "a", "replacement": r"\g<0>" * 15_000},
        {"operation": "replace", "find": "a", "replacement": "b" * 99_999},
    ],
    ids=["deep brackets", "an explosion", "a plain explosion"],
)
def test_a_pattern_that_grows_is_stopped(arguments: Arguments) -> None:
    failure = failure_of(text="a" * 60, limits={"max_pattern_chars": 10_000}, **arguments)
    assert failure.code == "limit"
    assert failure.message != TOO_LONG


def test_a_difference_that_takes_too_long_is_stopped() -> None:
    lines = [f"{number % 211}" for number in range(25_000)]
    text, other = "\n".join(lines), "\n".join(lines[::-1])
    assert failure_of("diff", text, other=other, limits={"pattern_timeout_ms": 500}).code == "limit"


SOURCES = st.lists(
    st.sampled_from([*"ab.*+?|()[]^${}\\-,1", "(?P<x>", "(?=", "(?<!", "{1,2}", r"\b", r"\1"]),
    min_size=1,
    max_size=8,
).map("".join)
SHORT = st.text("ab1\n", max_size=8)
KEYWORDS: Arguments = {"ignore_case": False, "count": None, "max_matches": 1_000}


def outcome(function: Callable[..., Any], *given: str, **more: Any) -> Any:
    """What the child would answer: a value, or the code of a refusal."""
    try:
        return function(*given, **KEYWORDS, **more)
    except Refused as refused:
        return refused


@given(SOURCES, SHORT, st.sampled_from(["", "x", r"\g<0>", r"\1", "\\"]))
@settings(max_examples=400, deadline=None, derandomize=True)
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_patterns_work_as_pythons_own(pattern: str, text: str, replacement: str) -> None:
    ours = outcome(
        patterns.replace, pattern, text, replacement=replacement, literal=False, max_chars=10_000
    )
    if isinstance(ours, Refused):
        assert ours.code in {"pattern", "replacement"}
        with pytest.raises((re.error, IndexError)):
            re.sub(pattern, replacement, text)
    else:
        assert ours == re.sub(pattern, replacement, text)


@given(SOURCES, SHORT)
@settings(max_examples=300, deadline=None, derandomize=True)
@pytest.mark.filterwarnings("ignore:Possible:FutureWarning")
def test_the_parts_and_the_matches_make_the_text(pattern: str, text: str) -> None:
    parts = outcome(patterns.split, pattern, text)
    found = outcome(patterns.extract, pattern, text, group=None, max_chars=10_000)
    if isinstance(parts, Refused):
        assert (parts.code, found.code) == ("pattern", "pattern")
        return
    between = [match["text"] for match in found["matches"]]
    assert "".join(a + b for a, b in zip(parts, [*between, ""], strict=True)) == text


LINES = st.text("ab\n\r", max_size=20)


def sides(diff: str) -> tuple[str, str]:
    """Both texts, from a diff that shows every line."""
    lines = diff.split("@@\n", 1)[1].replace(differences.NO_NEWLINE, "\0")
    signed = re.findall("([-+ ])([^\n\0]*\n?)", lines)
    before, after = (
        "".join(line for sign, line in signed if sign in kept) for kept in ("- ", "+ ")
    )
    return before, after


@given(LINES, LINES)
@settings(max_examples=300, deadline=None, derandomize=True)
def test_a_diff_holds_both_texts(text: str, other: str) -> None:
    diff = differences.diff(text, other, context=1_000, max_chars=10_000)
    assert (sides(diff) == (text, other)) if diff else (text == other)


@given(st.text(st.characters(codec="utf-8"), max_size=50))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_text_is_counted_and_deduped(text: str) -> None:
    assert result("count", text)["characters"] == len(text)
    once = result("dedupe", text)
    assert result("dedupe", once) == once


# --- As a tool ---


def test_it_names_every_operation_and_limit_in_its_description() -> None:
    config = TextConfig(max_text_chars=123, max_matches=45, max_pattern_chars=67)
    text = TextType().description(config)
    assert all(f"- {name}(" in text for name in OPERATION_ARGUMENTS)
    assert all(limit in text for limit in ("123", "45", "67", "2000 ms"))


def test_it_is_a_pure_computation() -> None:
    annotations = TextType().annotations(TextConfig())
    assert (annotations.risk, annotations.read_only, annotations.idempotent) == (
        Risk.L0,
        True,
        True,
    )


@pytest.mark.django_db
@pytest.mark.both
def test_it_answers_through_the_api(operator: User) -> None:
    path = f"/api/agent-tools/{Tool.objects.get(slug='text').pk}/execute/"
    given = {"operation": "extract", "text": "a1b22", "pattern": r"\d+", "count": 1}
    _status, answer = Api(operator)("POST", path, {"input": given})
    assert answer["data"] == {"result": [{"text": "1", "start": 1}]}
    _status, answer = Api(operator)("POST", path, {"input": {**given, "pattern": "("}})
    assert answer["error"]["code"] == "pattern"
