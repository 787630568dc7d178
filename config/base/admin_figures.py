"""The numbers at the top of the page."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One of them, and the list that shows what was counted."""

    label: str
    value: str
    link: str
    note: str = ""


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"
