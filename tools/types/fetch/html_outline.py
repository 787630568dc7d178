"""Tokens to balanced events of the part that is worth reading."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tools.types.fetch.html_tokens import End, Start, Token

MAX_DEPTH = 200  # deeper elements lose their tags, not their text


def names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = names("area base br col embed hr img input link meta param source track wbr")
KEPT_VOID = frozenset({"base", "br", "hr", "img"})
TECHNICAL = names(
    "audio button canvas dialog iframe math noembed noframes noscript object script select style"
    " svg template textarea video xmp"
)
AROUND = frozenset({"nav", "aside", "footer"})
AROUND_ROLES = frozenset(
    {"navigation", "banner", "complementary", "contentinfo", "search", "dialog"}
)
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
INLINE = names(
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span"
    " strike strong sub sup time tt u var"
)
ENDS_A_PARAGRAPH = names(
    "address article aside blockquote div dl fieldset footer form h1 h2 h3 h4 h5 h6 header hr main"
    " nav ol p pre section table ul"
)
# A start tag that closes an open element of its kind, up to an element that contains it.
CLOSES = {
    "li": (frozenset({"li"}), frozenset({"ul", "ol"})),
    "dt": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "dd": (frozenset({"dt", "dd"}), frozenset({"dl"})),
    "td": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "th": (frozenset({"td", "th"}), frozenset({"tr", "table"})),
    "tr": (frozenset({"tr"}), frozenset({"table"})),
    "option": (frozenset({"option"}), frozenset({"select"})),
    "a": (frozenset({"a"}), frozenset({"table", "td", "th"})),
} | {
    name: (frozenset({"p"}), frozenset({"td", "th", "table", "button"}))
    for name in ENDS_A_PARAGRAPH
}

type Event = Start | End | str


@dataclass(slots=True)
class Section:
    """A `main` or an `article`: its events and how much text it has."""

    name: str
    start: int
    text_start: int
    stop: int = 0
    text_size: int = 0


@dataclass(slots=True)
class Outline:
    """`events` are balanced: each `Start` but that of a void element has its `End`."""

    events: list[Event] = field(default_factory=list)
    title: str = ""
    base: str = ""
    sections: list[Section] = field(default_factory=list)
    text_size: int = 0

    def main_events(self) -> list[Event]:
        """What the page says is its main part, else an article that is most of it, else all."""
        for name, least in (("main", 1), ("article", self.text_size // 2 + 1)):
            found = [section for section in self.sections if section.name == name]
            best = max(found, key=lambda section: section.text_size, default=None)
            if best is not None and best.text_size >= least:
                return self.events[best.start : best.stop]
        return self.events


def read_outline(tokens: Iterable[Token], *, keep_surroundings: bool = False) -> Outline:
    """Without what is hidden or technical and, unless kept, navigation, asides and footers."""
    builder = _Builder(drops_surroundings=not keep_surroundings)
    for token in tokens:
        builder.add(token)
    return builder.finish()


class _Builder:
    def __init__(self, *, drops_surroundings: bool) -> None:
        self._drops_surroundings = drops_surroundings
        self._dropped = TECHNICAL | AROUND if drops_surroundings else TECHNICAL
        self._outline = Outline()
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()  # of the open ones, so most look-ups are short
        self._sections: list[tuple[int, Section]] = []  # with their depth
        self._dropped_at = 0  # depth of the dropped element that we are in
        self._too_deep = 0
        self._in_title = False

    def add(self, token: Token) -> None:
        if isinstance(token, str):
            self._add_text(token)
        elif token.name == "title" and "svg" not in self._open:
            self._in_title = isinstance(token, Start) and not self._outline.title
        elif isinstance(token, End):
            self._end(token.name)
        else:
            self._start(token)

    def finish(self) -> Outline:
        self._close_to(0)
        return self._outline

    def _add_text(self, text: str) -> None:
        if self._in_title:
            self._outline.title = " ".join(text.split())[:500]
        elif not self._dropped_at:
            self._outline.events.append(text)
            self._outline.text_size += len(text.strip())

    def _start(self, token: Start) -> None:
        self._close_implied(token.name)
        if token.name in VOID:
            self._add_void(token)
        elif len(self._open) >= MAX_DEPTH:
            self._too_deep += 1
        else:
            self._open.append(token.name)
            self._counts[token.name] += 1
            if not self._dropped_at and self._is_dropped(token):
                self._dropped_at = len(self._open)
            if not self._dropped_at:
                self._open_section(token)
                self._outline.events.append(token)

    def _add_void(self, token: Start) -> None:
        if token.name == "base":
            self._outline.base = self._outline.base or token.attributes.get("href", "")
        elif token.name in KEPT_VOID and not self._dropped_at and not _is_hidden(token):
            self._outline.events.append(token)

    def _is_dropped(self, token: Start) -> bool:
        role = token.attributes.get("role", "").lower()
        is_around = self._drops_surroundings and role in AROUND_ROLES
        return token.name in self._dropped or is_around or _is_hidden(token)

    def _open_section(self, token: Start) -> None:
        name = "main" if token.attributes.get("role", "").lower() == "main" else token.name
        if name in ("main", "article"):
            section = Section(name, len(self._outline.events), self._outline.text_size)
            self._sections.append((len(self._open), section))

    def _close_implied(self, name: str) -> None:
        if name not in CLOSES:
            return
        closed, stops = CLOSES[name]
        if not any(self._counts[other] for other in closed):
            return
        for position in range(len(self._open) - 1, -1, -1):
            if self._open[position] in closed:
                self._close_to(position)
            elif self._open[position] not in stops:
                continue
            return

    def _end(self, name: str) -> None:
        if self._too_deep:
            self._too_deep -= 1
            return
        if not self._counts[name]:
            return
        for position in range(len(self._open) - 1, -1, -1):
            if self._open[position] == name:
                self._close_to(position)
                return
            # An inline element does not close the blocks within it; a cell keeps to itself.
            outside_cell = self._open[position] in ("td", "th") and not name.startswith("t")
            if outside_cell or (name in INLINE and self._open[position] not in INLINE):
                return

    def _close_to(self, depth: int) -> None:
        while len(self._open) > depth:
            if not self._dropped_at:
                self._outline.events.append(End(self._open[-1]))
                self._close_section()
            elif self._dropped_at == len(self._open):
                self._dropped_at = 0
            self._counts[self._open.pop()] -= 1

    def _close_section(self) -> None:
        if self._sections and self._sections[-1][0] == len(self._open):
            _depth, section = self._sections.pop()
            section.stop = len(self._outline.events)
            section.text_size = self._outline.text_size - section.text_start
            self._outline.sections.append(section)


def _is_hidden(token: Start) -> bool:
    attributes = token.attributes
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden", "").lower() == "true"
        or HIDDEN_STYLE.search(attributes.get("style", "")[:500]) is not None
    )
