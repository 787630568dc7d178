"""Charts as SVG without script or style of their own; a table beside each holds the figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT = 600, 140
_GAP = 0.2  # of a slot


@dataclass(frozen=True, slots=True)
class Series:
    """`colour` names a class of console.css: `gh-fill-<colour>`."""

    name: str
    colour: str
    values: Sequence[float]

    @property
    def total(self) -> float:
        return sum(self.values)


@dataclass(frozen=True, slots=True)
class Chart:
    """`stacked`: bars on top of each other; else each series stands before the one before it."""

    title: Any
    labels: Sequence[str]
    series: Sequence[Series]
    unit: str = ""
    stacked: bool = True

    @property
    def is_empty(self) -> bool:
        return not any(value for one in self.series for value in one.values)

    @property
    def top(self) -> float:
        height = sum if self.stacked else max
        slots = zip(*(one.values for one in self.series), strict=True)
        return max((height(values) for values in slots), default=0)

    @property
    def svg(self) -> SafeString:
        """Bars, stretched to the room there is: words stand outside."""
        return format_html(
            '<svg class="gh-chart" viewBox="0 0 {} {}" preserveAspectRatio="none" '
            'role="img" aria-label="{}">{}</svg>',
            WIDTH,
            HEIGHT,
            self.title,
            format_html_join("", '<g class="gh-fill-{}">{}</g>', self._groups()),
        )

    def _groups(self) -> list[tuple[str, SafeString]]:
        below = [0.0] * len(self.labels)
        groups = []
        for one in self.series:
            bars = [
                (*self._bar(n, below[n], value), self._words(n, one.name, value))
                for n, value in enumerate(one.values)
                if value
            ]
            if self.stacked:
                below = [base + value for base, value in zip(below, one.values, strict=True)]
            rect = '<rect x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>'
            groups.append((one.colour, format_html_join("", rect, bars)))
        return groups

    def _bar(self, n: int, below: float, value: float) -> tuple[str, str, str, str]:
        slot, scale = WIDTH / len(self.labels), HEIGHT / (self.top or 1)
        height = value * scale
        box = (n * slot + slot * _GAP / 2, HEIGHT - below * scale - height, slot * (1 - _GAP))
        return tuple(f"{number:.2f}" for number in (*box, height))  # type: ignore[return-value]  # four

    def _words(self, n: int, name: str, value: float) -> str:
        return f"{self.labels[n]} · {name}: {value:,.4g}{self.unit}"

    @property
    def axis(self) -> list[str]:
        """First, middle and last."""
        last = len(self.labels) - 1
        return [self.labels[n] for n in sorted({0, last // 2, last})]


def share_bar(share: float) -> SafeString:
    """One bar of a row in a table, from 0 to 1."""
    return format_html(
        '<svg class="gh-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="gh-track" width="100" height="6"/><rect width="{}" height="6"/></svg>',
        f"{min(max(share, 0), 1) * 100:.1f}",
    )
