"""Which parts of two sequences are the same, in order.

What is unique on both sides anchors the rest (patience), gaps between anchors are compared by
Myers' O(ND) algorithm. All of it spends from one budget; where that ends, a gap counts as replaced:
always a correct answer, if not always the shortest.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

STEPS = 400_000  # about a quarter of a second on a slow core


@dataclass(slots=True)
class Budget:
    steps: int = STEPS

    def spend(self, steps: int) -> bool:
        self.steps -= steps
        return self.steps >= 0


@dataclass(frozen=True, slots=True)
class Block:
    """`length` items are the same from `a` on the left and from `b` on the right."""

    a: int
    b: int
    length: int


@dataclass(frozen=True, slots=True)
class Change:
    """Items from `a` to `a_end` on the left became those from `b` to `b_end` on the right."""

    a: int
    a_end: int
    b: int
    b_end: int


type Gap = tuple[int, int, int, int]  # from and to on the left, from and to on the right
type Pair = tuple[int, int]


def find_blocks(a: Sequence[Hashable], b: Sequence[Hashable], budget: Budget) -> list[Block]:
    """In order, none touching the next."""
    left, right = _numbered(a, b)
    pairs: list[Pair] = []
    gaps: list[Gap] = [(0, len(left), 0, len(right))]
    while gaps:
        gap = _trimmed(left, right, gaps.pop(), pairs)
        if gap[0] == gap[1] or gap[2] == gap[3] or not budget.spend(gap[1] - gap[0]):
            continue
        anchors = _anchors(left, right, gap)
        if anchors:
            pairs += anchors
            gaps += _between(gap, anchors)
        else:
            pairs += _shortest(left, right, gap, budget)
    return list(_joined(sorted(pairs)))


def find_changes(blocks: list[Block], a_length: int, b_length: int) -> list[Change]:
    """What lies between the blocks."""
    changes = []
    a = b = 0
    for block in [*blocks, Block(a_length, b_length, 0)]:
        if block.a > a or block.b > b:
            changes.append(Change(a, block.a, b, block.b))
        a, b = block.a + block.length, block.b + block.length
    return changes


def _numbered(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[list[int], list[int]]:
    """Equal items have equal numbers: comparing long lines again and again would be dear."""
    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(item, len(numbers)) for item in a]
    return left, [numbers.setdefault(item, len(numbers)) for item in b]


def _trimmed(left: list[int], right: list[int], gap: Gap, pairs: list[Pair]) -> Gap:
    """Without its equal head and tail, which become pairs."""
    a, a_end, b, b_end = gap
    while a < a_end and b < b_end and left[a] == right[b]:
        pairs.append((a, b))
        a, b = a + 1, b + 1
    while a < a_end and b < b_end and left[a_end - 1] == right[b_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
        pairs.append((a_end, b_end))
    return a, a_end, b, b_end


def _anchors(left: list[int], right: list[int], gap: Gap) -> list[Pair]:
    """The longest increasing run of items that stand once on either side."""
    a, a_end, b, b_end = gap
    here, there = Counter(left[a:a_end]), Counter(right[b:b_end])
    place = {right[j]: j for j in range(b, b_end) if there[right[j]] == 1}
    common = [(i, place[left[i]]) for i in range(a, a_end) if _once(left[i], here, place)]
    return _longest_increasing(common)


def _once(number: int, here: Counter[int], place: dict[int, int]) -> bool:
    return here[number] == 1 and number in place


def _longest_increasing(pairs: list[Pair]) -> list[Pair]:
    """By the second of each pair; the first ones increase already."""
    ends: list[int] = []  # the smallest second that a run of this length ends with
    last: list[int] = []  # the index of the pair it ends with
    before: list[int] = []
    for index, (_first, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [index]
        before.append(last[length - 1] if length else -1)
    run = []
    index = last[-1] if last else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _between(gap: Gap, anchors: list[Pair]) -> Iterator[Gap]:
    a, a_end, b, b_end = gap
    for i, j in [*anchors, (a_end, b_end)]:
        if i > a and j > b:
            yield a, i, b, j
        a, b = i + 1, j + 1


def _shortest(left: list[int], right: list[int], gap: Gap, budget: Budget) -> list[Pair]:
    """E. W. Myers, An O(ND) Difference Algorithm and Its Variations (1986), the greedy one."""
    a, a_end, b, b_end = gap
    n, m = a_end - a, b_end - b
    reached = {1: 0}  # by diagonal, how far on the left
    trace: list[dict[int, int]] = []
    for distance in range(n + m + 1):
        trace.append(reached.copy())
        if not budget.spend(2 * distance + 1):
            return []
        for k in range(-distance, distance + 1, 2):
            down = k == -distance or (k != distance and reached[k - 1] < reached[k + 1])
            x = reached[k + 1] if down else reached[k - 1] + 1
            start = x
            while x < n and x - k < m and left[a + x] == right[b + x - k]:
                x += 1
            reached[k] = x
            if x >= n and x - k >= m:
                return _walk_back(trace, (n, m), (a, b))
            if x > start and not budget.spend(x - start):
                return []
    return []


def _walk_back(trace: list[dict[int, int]], end: Pair, origin: Pair) -> list[Pair]:
    x, y = end
    pairs = []
    for distance in range(len(trace) - 1, -1, -1):
        reached = trace[distance]
        k = x - y
        down = k == -distance or (k != distance and reached[k - 1] < reached[k + 1])
        before = reached[k + 1] if down else reached[k - 1]
        before_y = before - (k + 1 if down else k - 1)
        while x > before and y > before_y:
            x, y = x - 1, y - 1
            if x < 0 or y < 0:
                break
            pairs.append((origin[0] + x, origin[1] + y))
        x, y = before, before_y
    return pairs


def _joined(pairs: list[Pair]) -> Iterator[Block]:
    start: Pair | None = None
    length = 0
    for a, b in pairs:
        if start and (a, b) == (start[0] + length, start[1] + length):
            length += 1
            continue
        if start:
            yield Block(*start, length)
        start, length = (a, b), 1
    if start:
        yield Block(*start, length)
