"""Line by line, what differs between two texts."""

import difflib
from collections.abc import Sequence

_MOST_LINES = 4_000  # past that the comparison could take long


def unified_diff(before: Sequence[str], after: Sequence[str], names: tuple[str, str]) -> str | None:
    """Both as lines without their ends; None where the texts are too long to compare."""
    if len(before) + len(after) > _MOST_LINES:
        return None
    return "\n".join(difflib.unified_diff(before, after, *names, lineterm=""))
