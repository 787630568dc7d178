"""Balanced events to Markdown in one pass, with bounded output."""

import re
from collections import Counter
from collections.abc import Callable

from tools.types.fetch.html_outline import Event, names
from tools.types.fetch.html_tokens import End, Start
from tools.types.fetch.markdown_parts import (
    BACKTICKS,
    BLANKS,
    BREAK,
    Prefix,
    Span,
    Table,
    absolute_link,
    as_code,
    collapse,
    table_line,
)

MAX_LINKS = 5000  # absolute ones take time to make
SLACK = 65_536
MAX_NESTING = 10  # of lists and quotations that are drawn
MAX_COLUMNS = 50
HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "strike": "~~"}
BLOCKS = names(
    "address article aside body caption center dd details div dl dt fieldset figcaption figure"
    " footer form header hgroup html legend main nav p section summary tbody tfoot thead"
)


class OutputFull(Exception):
    """The output has reached its limit."""


class MarkdownWriter:
    def __init__(self, base_url: str, limit: int) -> None:
        self._output: list[str] = []
        self._base_url = base_url
        self._room = limit
        self._inline: list[str] = []
        self._spans: list[Span] = []  # few: one of a kind
        self._ignored: Counter[str] = Counter()  # open ones that are not drawn
        self._prefixes: list[Prefix] = []
        self._lists: list[int | None] = []  # the next number; None: not numbered
        self._heading = ""
        self._gathered = 0  # length of what is inline
        self._links = 0
        self._verbatim = 0
        self._table: Table | None = None
        self._was_in_list = False

    def add(self, event: Event) -> None:
        if isinstance(event, str):
            self._gather(event.replace("\n", BREAK) if self._verbatim else event)
            return
        if self._table is not None and self._add_in_table(event, self._table):
            return
        handlers = _STARTS if isinstance(event, Start) else _ENDS
        if event.name in BLOCKS:
            self.flush()
        elif event.name in handlers:
            handlers[event.name](self, event)

    def text(self) -> str:
        """What has been written, with what would have been next when the limit came between."""
        begun = collapse("".join(self._inline))[: max(self._room, 0)]
        return "".join([*self._output, begun]).strip("\n")

    def _clear(self) -> None:
        self._inline.clear()
        self._gathered = 0
        for span in self._spans:
            span.start = 0

    # --- Blocks ---

    def flush(self) -> None:
        """The text that has gathered becomes a block; open inline elements go on in the next."""
        if self._verbatim:
            self._gather(BREAK)
            return
        for span in reversed(self._spans):
            self._fold(span)
        text = collapse("".join(self._inline))
        self._clear()
        if text:
            self._emit((self._heading + text).split("\n"))

    def _emit(self, lines: list[str]) -> None:
        in_list = bool(self._lists)
        tight = in_list and self._was_in_list
        self._was_in_list = in_list
        quotes = "".join(
            prefix.rest for prefix in self._prefixes[:MAX_NESTING] if prefix.rest == "> "
        )
        gap = "" if tight or not self._output else f"{quotes.rstrip()}\n"
        self._write(gap)
        for line in lines:
            prefix = "".join(prefix.take() for prefix in self._prefixes[:MAX_NESTING])
            self._write(f"{prefix}{line}".rstrip() + "\n")

    def _write(self, text: str) -> None:
        self._room -= len(text)
        if self._room < 0:
            raise OutputFull
        self._output.append(text)

    def start_heading(self, event: Start | End) -> None:
        self.flush()
        assert isinstance(event, Start)
        self._heading = HEADINGS[event.name]

    def end_heading(self, _event: Start | End) -> None:
        self.flush()
        self._heading = ""

    def start_list(self, event: Start | End) -> None:
        self.flush()
        assert isinstance(event, Start)
        self._lists.append(1 if event.name == "ol" else None)

    def end_list(self, _event: Start | End) -> None:
        self.flush()
        self._lists.pop()

    def start_item(self, _event: Start | End) -> None:
        self.flush()
        number = self._lists[-1] if self._lists else None
        marker = "- " if number is None else f"{number}. "
        if number is not None:
            self._lists[-1] = number + 1
        self._prefixes.append(Prefix(marker, " " * len(marker)))

    def start_quote(self, _event: Start | End) -> None:
        self.flush()
        self._prefixes.append(Prefix("> ", "> "))

    def end_prefixed(self, _event: Start | End) -> None:
        self.flush()
        self._prefixes.pop()

    def start_verbatim(self, _event: Start | End) -> None:
        self.flush()
        self._verbatim += 1

    def end_verbatim(self, _event: Start | End) -> None:
        self._verbatim -= 1
        if self._verbatim:
            return
        text = re.sub(r"\n{3,}", "\n\n", "".join(self._inline).replace(BREAK, "\n")).strip("\n")
        self._clear()
        if text.strip():
            fence = "`" * (max(map(len, BACKTICKS.findall(text)), default=0) + 1)
            fence = max(fence, "```")
            self._emit([fence, *text.split("\n"), fence])

    def add_rule(self, _event: Start | End) -> None:
        self.flush()
        self._emit(["---"])

    # --- Inline ---

    def _gather(self, text: str) -> None:
        self._inline.append(text)
        self._gathered += len(text)
        if self._gathered > self._room * 2 + SLACK:  # most of it may be blanks
            raise OutputFull

    def start_span(self, event: Start | End) -> None:
        assert isinstance(event, Start)
        wrap = None if self._verbatim else self._wrap(event)
        if wrap is None:
            self._ignored[event.name] += 1
        else:
            self._spans.append(Span(event.name, len(self._inline), wrap))

    def _wrap(self, event: Start) -> Callable[[str], str] | None:
        if any(MARKS.get(span.name, span.name) == MARKS.get(event.name, event.name)
               for span in self._spans):  # fmt: skip
            return None  # bold in bold, a link in a link
        if event.name == "code":
            return as_code
        if event.name == "a":
            link = self._link(event.attributes.get("href", ""))
            return (lambda text: f"[{text}]({link})") if link else None
        mark = MARKS[event.name]
        return lambda text: f"{mark}{text}{mark}"

    def _link(self, link: str) -> str:
        self._links += 1
        return absolute_link(link, self._base_url) if self._links <= MAX_LINKS else ""

    def end_span(self, event: Start | End) -> None:
        if self._ignored[event.name]:
            self._ignored[event.name] -= 1
        elif self._spans:
            self._fold(self._spans.pop())

    def _fold(self, span: Span) -> None:
        text = "".join(self._inline[span.start :])
        inner = text.strip(f" \t\r\n{BREAK}")
        if not inner:
            return
        before, _inner, after = text.partition(inner)
        del self._inline[span.start :]
        self._gathered -= len(text)
        self._gather(f"{before}{span.wrap(BLANKS.sub(' ', inner))}{after}")

    def add_break(self, _event: Start | End) -> None:
        self._gather(BREAK)

    def add_image(self, event: Start | End) -> None:
        assert isinstance(event, Start)
        alt = " ".join(event.attributes.get("alt", "").split())
        source = self._link(event.attributes.get("src", ""))
        if alt:  # without a text it says nothing
            self._gather(f"![{alt}]({source})" if source else alt)

    # --- Tables ---

    def start_table(self, _event: Start | End) -> None:
        self.flush()
        self._table = Table()

    def _add_in_table(self, event: Start | End, table: Table) -> bool:
        """Cells are one line each: blocks in them become blanks. True: done with."""
        if event.name == "table":
            table.depth += 1 if isinstance(event, Start) else -1
            if not table.depth:
                self._end_table(table)
        elif table.depth == 1 and event.name == "tr":
            self._take_cell(table)
            if isinstance(event, Start):
                table.rows.append([])
        elif table.depth == 1 and event.name in ("td", "th"):
            self._take_cell(table, is_cell=isinstance(event, End))
        elif event.name in MARKS or event.name in ("a", "code", "img"):
            return False
        else:
            self._gather(" ")
        return True

    def _take_cell(self, table: Table, *, is_cell: bool = False) -> None:
        for span in reversed(self._spans):
            self._fold(span)
        text = collapse("".join(self._inline)).replace("\n", " ").replace("|", "\\|")
        self._clear()
        if not text and not is_cell:
            return
        table.size += len(text)
        if table.size > self._room:
            raise OutputFull
        if not table.rows:
            table.rows.append([])
        if len(table.rows[-1]) < MAX_COLUMNS:
            table.rows[-1].append(text)

    def _end_table(self, table: Table) -> None:
        self._take_cell(table)
        self._table = None
        rows = [row for row in table.rows if any(row)]
        columns = max(map(len, rows), default=0)
        if columns < 2 or len(rows) < 2:  # a table for layout
            for row in rows:
                self._emit([cell for cell in row if cell])
            return
        lines = [table_line(row + [""] * (columns - len(row))) for row in rows]
        self._emit([lines[0], table_line(["---"] * columns), *lines[1:]])


type _Handler = Callable[[MarkdownWriter, Start | End], None]

_SPANS = (*MARKS, "a", "code")
_STARTS: dict[str, _Handler] = {
    **dict.fromkeys(HEADINGS, MarkdownWriter.start_heading),
    **dict.fromkeys(_SPANS, MarkdownWriter.start_span),
    "ul": MarkdownWriter.start_list,
    "ol": MarkdownWriter.start_list,
    "li": MarkdownWriter.start_item,
    "blockquote": MarkdownWriter.start_quote,
    "pre": MarkdownWriter.start_verbatim,
    "hr": MarkdownWriter.add_rule,
    "br": MarkdownWriter.add_break,
    "img": MarkdownWriter.add_image,
    "table": MarkdownWriter.start_table,
}
_ENDS: dict[str, _Handler] = {
    **dict.fromkeys(HEADINGS, MarkdownWriter.end_heading),
    **dict.fromkeys(_SPANS, MarkdownWriter.end_span),
    "ul": MarkdownWriter.end_list,
    "ol": MarkdownWriter.end_list,
    "li": MarkdownWriter.end_prefixed,
    "blockquote": MarkdownWriter.end_prefixed,
    "pre": MarkdownWriter.end_verbatim,
}
