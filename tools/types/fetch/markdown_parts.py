"""What the Markdown writer is made of."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

BREAK = "\0"  # a <br>; text itself has no NUL any more
BLANKS = re.compile(r"[^\S\0]+")
AROUND_BREAK = re.compile(r" ?\0 ?")
BACKTICKS = re.compile(r"`+")
MAX_LINK_LENGTH = 2048

LINK_SCHEMES = frozenset({"http", "https", "mailto"})


def absolute_link(link: str, base_url: str) -> str:
    """ "" for what leads nowhere outside: javascript:, data:, fragments, broken links."""
    try:
        target = urljoin(base_url, link.strip())
        scheme = urlsplit(target).scheme
    except ValueError:
        return ""
    if not link.strip() or link.strip().startswith("#") or scheme not in LINK_SCHEMES:
        return ""
    if len(target) > MAX_LINK_LENGTH:
        return ""
    return target.replace(" ", "%20").replace("(", "%28").replace(")", "%29")


@dataclass(slots=True)
class Prefix:
    """What stands before the lines of a list item or a quotation."""

    first: str
    rest: str
    is_used: bool = False

    def take(self) -> str:
        text = self.rest if self.is_used else self.first
        self.is_used = True
        return text


@dataclass(slots=True)
class Span:
    """An inline element that is open: where its text begins, and what to make of it."""

    name: str
    start: int
    wrap: Callable[[str], str]


@dataclass(slots=True)
class Table:
    rows: list[list[str]] = field(default_factory=list)
    depth: int = 1
    size: int = 0


def table_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def as_code(text: str) -> str:
    fence = "`" * (max(map(len, BACKTICKS.findall(text)), default=0) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def collapse(text: str) -> str:
    text = AROUND_BREAK.sub(BREAK, BLANKS.sub(" ", text))
    return text.strip(f" {BREAK}").replace(BREAK, "\n")
