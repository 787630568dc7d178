"""What differs between two texts: always correct, and bounded whatever the texts are."""

import random

import pytest

from documents.diffing import compare, has_conflict_marks, merge_texts, unified_diff
from documents.diffing.sequences import Budget, find_blocks

NAMES = ("yours", "theirs")
FULL = 50_000  # characters
RANDOM = random.Random(7)


def words(count: int, kinds: int) -> str:
    return " ".join(f"w{RANDOM.randrange(kinds)}" for _ in range(count))


# --- Sequences ---


def test_what_is_called_the_same_is_the_same_and_in_order() -> None:
    for _ in range(500):
        a, b = (RANDOM.choices("abcdefgh", k=RANDOM.randrange(14)) for _ in range(2))
        at = -1, -1
        for block in find_blocks(a, b, Budget()):
            assert (block.a, block.b) > at
            assert block.b > at[1]
            assert a[block.a : block.a + block.length] == b[block.b : block.b + block.length]
            at = block.a + block.length - 1, block.b + block.length - 1


def longest_common(a: list[str], b: list[str]) -> int:
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, left in enumerate(a):
        for j, right in enumerate(b):
            joined = best[i][j] + 1 if left == right else 0
            best[i + 1][j + 1] = max(joined, best[i][j + 1], best[i + 1][j])
    return best[-1][-1]


def test_without_unique_items_it_finds_all_that_is_common() -> None:
    for _ in range(300):
        a = RANDOM.choices("ab", k=RANDOM.randrange(1, 14)) + ["a", "b"] * 2
        b = RANDOM.choices("ab", k=RANDOM.randrange(1, 14)) + ["b", "a"] * 2
        found = sum(block.length for block in find_blocks(a, b, Budget()))
        assert found == longest_common(a, b)


def test_past_its_budget_the_rest_counts_as_replaced() -> None:
    budget = Budget(1_000)
    assert find_blocks(["x", *"abab" * 500], ["y", *"baaa" * 500], budget) == []
    assert -3_000 < budget.steps < 0  # it ended soon after


# --- Lines and words ---


@pytest.mark.parametrize(
    ("before", "after", "kinds"),
    [
        ("a\nb", "a\nb", ["same", "same"]),
        ("", "a", ["added"]),
        ("a", "", ["removed"]),
        ("a\nb\nc", "a\nc", ["same", "removed", "same"]),
        ("one two three", "one two four", ["changed"]),
        ("apples and pears", "something else", ["removed", "added"]),
        ("x = 1\ny = 2\nz = 3", "y = 2 + 1\nz = 3", ["removed", "changed", "same"]),
        ("今天天气很好", "今天天气不好", ["changed"]),
    ],
)
def test_lines_are_told_apart(before: str, after: str, kinds: list[str]) -> None:
    assert [row.kind for row in compare(before, after).rows] == kinds


def test_within_a_changed_line_the_words_are_marked() -> None:
    [row] = compare("The quick brown fox jumps", "The slow brown fox jumps").rows
    assert row.left
    assert row.right
    assert [piece.text for piece in row.left.pieces if piece.changed] == ["quick"]
    assert [piece.text for piece in row.right.pieces if piece.changed] == ["slow"]


CASES = {
    "one character a line": lambda: "".join(RANDOM.choice("ab") + "\n" for _ in range(FULL // 2)),
    "one long line": lambda: words(9_000, 500)[:FULL],
    "chinese without a break": lambda: "".join(RANDOM.choices("的一是不了人我在有他", k=FULL)),
    "short lines of few words": lambda: "\n".join(words(3, 50) for _ in range(4_000)),
    "empty lines": lambda: "\n" * RANDOM.randrange(FULL // 2, FULL),
    "prose": lambda: "\n".join(words(12, 5_000) for _ in range(800)),
}


@pytest.mark.parametrize("case", CASES)
def test_nothing_of_texts_of_full_length_is_lost(case: str) -> None:
    before, after = CASES[case](), CASES[case]()
    rows = compare(before, after).rows
    assert [row.left.text for row in rows if row.left] == before.splitlines()
    assert [row.right.text for row in rows if row.right] == after.splitlines()


# --- Unified ---


def patched(lines: list[str], diff: str) -> list[str]:
    """What `patch` makes of it, the hunks' line numbers taken at their word."""
    result: list[str] = []
    at = 0
    for line in diff.splitlines()[2:]:
        if line.startswith("@@"):
            first, _, length = line.split()[1].removeprefix("-").partition(",")
            start = int(first) - (length != "0")
            result += lines[at:start]
            at = start
        elif line.startswith("+"):
            result.append(line[1:])
        else:
            assert lines[at] == line[1:]
            result += [lines[at]] if line.startswith(" ") else []
            at += 1
    return result + lines[at:]


def test_a_unified_diff_can_be_applied() -> None:
    for _ in range(300):
        a, b = (RANDOM.choices("abcdefghij", k=RANDOM.randrange(40)) for _ in range(2))
        diff = unified_diff(a, b, ("before", "after"))
        assert (patched(a, diff) if diff else a) == b


def test_what_is_the_same_has_no_diff() -> None:
    assert unified_diff(["a"], ["a"], ("before", "after")) == ""


# --- Merging ---

BASE = "a\nb\nc\nd\ne\n"


@pytest.mark.parametrize(
    ("mine", "theirs", "merged"),
    [
        ("A\nb\nc\nd\ne\n", BASE, "A\nb\nc\nd\ne\n"),
        (BASE, "a\nb\nc\nd\nE\n", "a\nb\nc\nd\nE\n"),
        ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE", "A\nb\nc\nd\nE"),
        ("b\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n", "b\nc\nd\ne\nf\n"),
        ("a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"),
        ("a\n1\nb\nc\nd\ne\n", "a\nb\nc\n2\nd\ne\n", "a\n1\nb\nc\n2\nd\ne\n"),
    ],
)
def test_changes_in_different_places_fit_together(mine: str, theirs: str, merged: str) -> None:
    found = merge_texts(BASE, mine, theirs, NAMES)
    assert (found.text, found.conflicts) == (merged, 0)
    assert not has_conflict_marks(found.text)


def test_changes_of_the_same_lines_both_stand_there_marked() -> None:
    found = merge_texts("a\nb\nc", "a\nb\nmine", "a\nb\ntheirs", NAMES)
    marked = "a\nb\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> theirs\n"
    assert (found.text, found.conflicts) == (marked, 1)
    assert has_conflict_marks(found.text)


def test_without_a_base_no_line_of_either_is_lost() -> None:
    found = merge_texts(None, "a\nmine\nc\n", "a\ntheirs\nc\n", NAMES)
    assert {"a", "mine", "theirs", "c"} <= set(found.text.splitlines())


def test_random_changes_of_one_side_only_are_taken_as_they_are() -> None:
    for _ in range(200):
        base, other = ("\n".join(RANDOM.choices("abcd", k=RANDOM.randrange(12))) for _ in range(2))
        assert merge_texts(base, other, base, NAMES).text == other
        assert merge_texts(base, base, other, NAMES).text == other
