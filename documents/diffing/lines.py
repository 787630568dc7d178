"""Two texts side by side: which line became which, and where within a line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from documents.diffing.sequences import Budget, Change, find_blocks, find_changes
from documents.diffing.words import Piece, Pieces, compare_words, tokens_of

_SIMILAR = 0.4  # lines that share fewer of their words are not the same line changed
_ALIGNED_CELLS = 900  # past that many pairs of lines they are paired in order

type Kind = Literal["same", "changed", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Side:
    number: int  # of the line, from 1
    pieces: Pieces

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Row:
    kind: Kind
    left: Side | None
    right: Side | None


@dataclass(frozen=True, slots=True)
class Compared:
    rows: list[Row]

    @property
    def added(self) -> int:
        return sum(row.kind in ("added", "changed") for row in self.rows)

    @property
    def removed(self) -> int:
        return sum(row.kind in ("removed", "changed") for row in self.rows)


def compare(before: str, after: str) -> Compared:
    """Ends within a second for any two texts of full length."""
    a, b = before.splitlines(), after.splitlines()
    budget = Budget()
    changes = find_changes(find_blocks(a, b, budget), len(a), len(b))
    rows: list[Row] = []
    at = b_at = 0
    for change in [*changes, Change(len(a), len(a), len(b), len(b))]:
        for offset, line in enumerate(a[at : change.a]):
            pieces = (Piece(line, False),)
            same = Side(at + offset + 1, pieces), Side(b_at + offset + 1, pieces)
            rows.append(Row("same", *same))
        rows += _changed_rows(a, b, change, budget)
        at, b_at = change.a_end, change.b_end
    return Compared(rows)


def _changed_rows(
    a: Sequence[str], b: Sequence[str], change: Change, budget: Budget
) -> Iterator[Row]:
    i, j = change.a, change.b
    for pair_i, pair_j in [*_pair(a, b, change, budget), (change.a_end, change.b_end)]:
        yield from (Row("removed", _whole(a, n), None) for n in range(i, pair_i))
        yield from (Row("added", None, _whole(b, n)) for n in range(j, pair_j))
        if pair_i < change.a_end:
            left, right = compare_words(a[pair_i], b[pair_j], budget)
            yield Row("changed", Side(pair_i + 1, left), Side(pair_j + 1, right))
        i, j = pair_i + 1, pair_j + 1


def _whole(lines: Sequence[str], index: int) -> Side:
    return Side(index + 1, (Piece(lines[index], False),))


def _pair(
    a: Sequence[str], b: Sequence[str], change: Change, budget: Budget
) -> list[tuple[int, int]]:
    """Which of the removed lines became which of the added ones, in order."""
    left = [_words(line) for line in a[change.a : change.a_end]]
    right = [_words(line) for line in b[change.b : change.b_end]]
    if not left or not right:
        return []
    cells = len(left) * len(right)
    if cells <= _ALIGNED_CELLS and budget.spend(2 * cells):
        found = _best_alignment(left, right)
    else:
        both = enumerate(zip(left, right, strict=False))
        found = [(n, n) for n, (one, other) in both if _likeness(one, other) >= _SIMILAR]
    return [(change.a + i, change.b + j) for i, j in found]


def _words(line: str) -> frozenset[str]:
    return frozenset(word for word in tokens_of(line) if not word.isspace())


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Of all words the part that both have."""
    if not one or not other:
        return 0.0
    common = len(one & other)
    return common / (len(one) + len(other) - common)


def _best_alignment(
    left: list[frozenset[str]], right: list[frozenset[str]]
) -> list[tuple[int, int]]:
    """The pairs in order whose likenesses add up to most."""
    n, m = len(left), len(right)
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            like = _likeness(left[i], right[j])
            joined = best[i + 1][j + 1] + like if like >= _SIMILAR else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], joined)
    pairs = []
    i = j = 0
    while i < n and j < m:
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs
