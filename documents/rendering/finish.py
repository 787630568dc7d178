"""What only we may add, after the allow list: ids and anchors prefixed `u-`, `rel`, labels.

Works on the sanitiser's output alone, whose form is fixed: `<` stands only before a tag,
attributes are double-quoted. Whole tags are read at once, so a `<h2>` inside a title is no tag.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from django.utils.html import escape
from django.utils.translation import gettext as _

_TAG = re.compile(
    r'<(?:(h[1-6]|a|li|sup|input)((?:\s+[a-z-]+="[^"]*")*)|/?[a-z][a-z0-9]*(?:\s+[a-z-]+="[^"]*")*)\s*>'
)
_ATTRIBUTE = re.compile(r'([a-z-]+)="([^"]*)"')
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_NOT_IN_SLUG = re.compile(r"[^\w\- ]+")
PREFIX = "u-"


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    anchor: str


@dataclass(slots=True)
class _Finisher:
    headings: Iterator[Heading]
    references: Counter[str] = field(default_factory=Counter)
    notes: int = 0
    in_reference: bool = False

    def tag(self, match: re.Match[str]) -> str:
        name, rest = match.groups()
        if name is None or (name == "li" and not rest):
            return match[0]
        attributes = dict(_ATTRIBUTE.findall(rest))
        match name:
            case "a":
                self._link(attributes)
            case "li" if "footnote-item" in attributes.get("class", ""):
                self.notes += 1
                attributes["id"] = f"{PREFIX}fn:{self.notes}"
            case "sup":
                self.in_reference = True
            case "input":
                attributes["aria-label"] = escape(_("done") if "checked" in rest else _("open"))
            case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
                attributes["id"] = escape(next(self.headings).anchor)
        return f"<{name}{_written(attributes)}>"

    def _link(self, attributes: dict[str, str]) -> None:
        href = attributes.get("href", "")
        if not href.startswith("#"):
            attributes["rel"] = "noopener noreferrer nofollow"
            return
        attributes["href"] = f"#{PREFIX}{href[1:]}"
        if self.in_reference:
            self.in_reference = False
            times = self.references[href]
            self.references[href] += 1
            number = href.removeprefix("#fn:") + (f":{times}" if times else "")
            attributes["id"] = f"{PREFIX}fnref:{number}"


def _written(attributes: dict[str, str]) -> str:
    return "".join(f' {name}="{value}"' for name, value in sorted(attributes.items()))


def list_headings(html: str) -> list[Heading]:
    anchors = _Anchors()
    headings = []
    for level, inner in _HEADING.findall(html):
        text = " ".join(unescape(_TAG.sub("", inner)).split())
        headings.append(Heading(int(level), text, PREFIX + anchors.take(_slug(text))))
    return headings


class _Anchors:
    """Each anchor once, `a`, `a-1`, `a-2`, also where a title is itself called `a-1`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: Counter[str] = Counter()

    def take(self, slug: str) -> str:
        anchor = slug
        while anchor in self._taken:
            self._next[slug] += 1
            anchor = f"{slug}-{self._next[slug]}"
        self._taken.add(anchor)
        return anchor


def _slug(text: str) -> str:
    return _NOT_IN_SLUG.sub("", text.lower()).strip().replace(" ", "-")[:80] or "section"


def finish(html: str) -> tuple[str, list[Heading]]:
    """The page's HTML and its headings."""
    headings = list_headings(html)
    return _TAG.sub(_Finisher(iter(headings)).tag, html), headings
