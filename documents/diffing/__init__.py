"""What differs between two texts, by line and by word, in bounded time; and merging three."""

from documents.diffing.lines import Compared, Row, Side, compare
from documents.diffing.merging import Merged, has_conflict_marks, merge_texts
from documents.diffing.unified import unified_diff

__all__ = [
    "Compared",
    "Merged",
    "Row",
    "Side",
    "compare",
    "has_conflict_marks",
    "merge_texts",
    "unified_diff",
]
