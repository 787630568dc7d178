"""Two changes of one text put together, line by line (Khanna, Kunal, Pierce: A Formal
Investigation of Diff3, 2007). Where both touched the same lines, both stand there, marked.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.diffing.sequences import Budget, find_blocks

_MARK = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Merged:
    text: str
    conflicts: int


@dataclass(frozen=True, slots=True)
class _Chunk:
    base: Sequence[str]
    mine: Sequence[str]
    theirs: Sequence[str]


def has_conflict_marks(text: str) -> bool:
    return _MARK.search(text) is not None


def merge_texts(base: str | None, mine: str, theirs: str, names: tuple[str, str]) -> Merged:
    """`names` are those of mine and theirs in the marks.

    Without a base what both have in common stands for it.
    """
    ours, others = mine.splitlines(keepends=True), theirs.splitlines(keepends=True)
    origin = _common(ours, others) if base is None else base.splitlines(keepends=True)
    lines: list[str] = []
    conflicts = 0
    for chunk in _chunks(origin, ours, others):
        settled = _settled(chunk)
        conflicts += settled is None
        lines += _marked(chunk, names) if settled is None else settled
    return Merged("".join(lines), conflicts)


def _common(a: list[str], b: list[str]) -> list[str]:
    blocks = find_blocks(a, b, Budget())
    return [line for block in blocks for line in a[block.a : block.a + block.length]]


def _chunks(base: list[str], mine: list[str], theirs: list[str]) -> Iterator[_Chunk]:
    """Cut where a line of the base stands in both."""
    in_mine, in_theirs = _places(base, mine), _places(base, theirs)
    o = a = b = 0
    for n in range(len(base)):
        if n not in in_mine or n not in in_theirs:
            continue
        yield _Chunk(base[o:n], mine[a : in_mine[n]], theirs[b : in_theirs[n]])
        yield _Chunk(base[n : n + 1], base[n : n + 1], base[n : n + 1])
        o, a, b = n + 1, in_mine[n] + 1, in_theirs[n] + 1
    yield _Chunk(base[o:], mine[a:], theirs[b:])


def _places(base: list[str], other: list[str]) -> dict[int, int]:
    blocks = find_blocks(base, other, Budget())
    return {block.a + n: block.b + n for block in blocks for n in range(block.length)}


def _settled(chunk: _Chunk) -> Sequence[str] | None:
    if chunk.mine in (chunk.base, chunk.theirs):
        return chunk.theirs
    return chunk.mine if chunk.theirs == chunk.base else None


def _marked(chunk: _Chunk, names: tuple[str, str]) -> list[str]:
    return [
        f"<<<<<<< {names[0]}\n",
        *_ended(chunk.mine),
        "=======\n",
        *_ended(chunk.theirs),
        f">>>>>>> {names[1]}\n",
    ]


def _ended(lines: Sequence[str]) -> list[str]:
    """The last line of a text may have no end; a mark stands on a line of its own."""
    if lines and not lines[-1].endswith(("\n", "\r")):
        return [*lines[:-1], lines[-1] + "\n"]
    return list(lines)
