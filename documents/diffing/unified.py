"""The form that programs read and people know: lines with `+`, `-` and a blank before them."""

from collections.abc import Iterator, Sequence

from documents.diffing.sequences import Budget, Change, find_blocks, find_changes

CONTEXT = 3


def unified_diff(before: Sequence[str], after: Sequence[str], names: tuple[str, str]) -> str:
    """Both as lines without their ends; "" where they are the same."""
    blocks = find_blocks(before, after, Budget())
    changes = find_changes(blocks, len(before), len(after))
    lines = [f"--- {names[0]}", f"+++ {names[1]}"] if changes else []
    for hunk in _grouped(changes):
        lines += _hunk_lines(hunk, before, after)
    return "\n".join(lines)


def _grouped(changes: list[Change]) -> Iterator[list[Change]]:
    """Those whose contexts meet are shown together."""
    group: list[Change] = []
    for change in changes:
        if group and change.a - group[-1].a_end > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk_lines(hunk: list[Change], before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    head = min(hunk[0].a, hunk[0].b, CONTEXT)
    tail = min(len(before) - hunk[-1].a_end, CONTEXT)
    a, a_end = hunk[0].a - head, hunk[-1].a_end + tail
    yield f"@@ -{_range(a, a_end)} +{_range(hunk[0].b - head, hunk[-1].b_end + tail)} @@"
    for change in hunk:
        yield from (f" {line}" for line in before[a : change.a])
        yield from (f"-{line}" for line in before[change.a : change.a_end])
        yield from (f"+{line}" for line in after[change.b : change.b_end])
        a = change.a_end
    yield from (f" {line}" for line in before[a:a_end])


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}" if length != 1 else f"{start + 1}"
