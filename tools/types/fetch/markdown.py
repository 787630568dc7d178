"""A page's main text as Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass

from tools.types.fetch.html_outline import Event, Outline, read_outline
from tools.types.fetch.html_tokens import read_tokens
from tools.types.fetch.markdown_parts import absolute_link
from tools.types.fetch.markdown_writer import MarkdownWriter, OutputFull


@dataclass(frozen=True, slots=True)
class Page:
    markdown: str
    is_cut: bool = False


def page_to_markdown(text: str, base_url: str, limit: int) -> Page:
    """`limit` is in characters: absolute links can make the output longer than the page."""
    outline = read_outline(read_tokens(text))
    body, is_cut = _render(outline, outline.main_events(), base_url, limit)
    if not body:
        outline = read_outline(read_tokens(text), keep_surroundings=True)
        body, is_cut = _render(outline, outline.events, base_url, limit)
    title = outline.title
    if title and title not in body[: len(title) + 10]:
        body = f"# {title}\n\n{body}".rstrip("\n")
    return Page(body[:limit], is_cut or len(body) > limit)


def _render(
    outline: Outline, events: Iterable[Event], base_url: str, limit: int
) -> tuple[str, bool]:
    writer = MarkdownWriter(absolute_link(outline.base, base_url) or base_url, limit)
    try:
        for event in events:
            writer.add(event)
        writer.flush()
    except OutputFull:
        return writer.text(), True
    return writer.text(), False
