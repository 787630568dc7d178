"""Two versions side by side, as a page shows them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from documents.diffing import Compared, Row, compare
from documents.enums import DocumentType
from documents.history import field_label
from documents.models import DocumentFields

CONTEXT = 3  # unchanged lines around a change
ROWS_ON_A_PAGE = 800
FACTS = ("title", "type", "summary", "tags")


@dataclass(frozen=True, slots=True)
class FieldChange:
    label: str
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Fold:
    """Unchanged lines that are not shown."""

    count: int
    kind: str = "fold"


def compare_versions(left: DocumentFields, right: DocumentFields) -> dict[str, Any]:
    """`compared` is None where the texts are the same, `fields` has the rest that differs."""
    same_text = left.content == right.content
    return {
        "fields": [_field(name, left, right) for name in _telling(left, right)],
        "compared": None if same_text else compare(left.content, right.content),
    }


def _telling(left: DocumentFields, right: DocumentFields) -> list[str]:
    return [name for name in FACTS if getattr(left, name) != getattr(right, name)]


def _field(name: str, left: DocumentFields, right: DocumentFields) -> FieldChange:
    compared = compare(_shown(name, getattr(left, name)), _shown(name, getattr(right, name)))
    return FieldChange(field_label(name), compared.rows)


def _shown(name: str, value: Any) -> str:
    if name == "type":
        return str(DocumentType(value).label)
    return ", ".join(value) if isinstance(value, list) else str(value)


def paged_rows(compared: Compared | None, given: QueryDict) -> Page[Row | Fold]:
    """Texts of full length that have nothing in common make fifty thousand rows."""
    rows: list[Row] = compared.rows if compared else []
    shown: list[Row | Fold] = [*rows] if given.get("all") else list(fold(rows))
    page: Page[Row | Fold] = Paginator(shown, ROWS_ON_A_PAGE).get_page(given.get("page"))
    return page


def fold(rows: list[Row]) -> Iterator[Row | Fold]:
    """Without the unchanged lines that are far from any change."""
    near = _near_a_change(rows)
    hidden = 0
    for index, row in enumerate(rows):
        if index not in near:
            hidden += 1
            continue
        if hidden:
            yield Fold(hidden)
            hidden = 0
        yield row
    if hidden:
        yield Fold(hidden)


def _near_a_change(rows: list[Row]) -> set[int]:
    near: set[int] = set()
    for index, row in enumerate(rows):
        if row.kind != "same":
            near.update(range(max(0, index - CONTEXT), index + CONTEXT + 1))
    return near
