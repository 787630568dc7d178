"""The parser: CommonMark with tables, strikethrough, task lists and footnotes. No raw HTML."""

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.footnote.index import footnote_ref

from documents.rendering.images import render_image, take_images_out_of_links
from documents.rendering.limits import limit_time, start_clock
from documents.rendering.math import keep_formulas
from documents.rendering.quick import Renderer, normal_link, read_plain_text_at_once
from documents.rendering.tables import use_classes_for_alignment
from documents.rendering.tasks import mark_tasks

_SCHEME = re.compile(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_ALLOWED_SCHEME = re.compile(r"(https?|mailto|tel):", re.IGNORECASE)
# Without a bound on the label the plugin reads to the end of the text for every `[^`.
_FOOTNOTE_REFERENCE = re.compile(r"\[\^[^\s\]]{1,100}\]")


def is_allowed_link(url: str) -> bool:
    """Known schemes and relative addresses; with another one the source is shown as it stands."""
    return not _SCHEME.match(url) or bool(_ALLOWED_SCHEME.match(url))


def _footnote_reference(state: StateInline, silent: bool) -> bool:
    if not _FOOTNOTE_REFERENCE.match(state.src, state.pos):
        return False
    return footnote_ref(state, silent)


def _footnote_number(tokens: list[Token], index: int) -> str:
    meta = tokens[index].meta
    number, times = meta["id"] + 1, meta.get("subId", -1)
    return f"{number}:{times}" if times > 0 else f"{number}"


def _render_footnote_ref(
    _self: Any, tokens: list[Token], index: int, _options: Any, _env: Any
) -> str:
    number = tokens[index].meta["id"] + 1
    return f'<sup class="footnote-ref"><a href="#fn:{number}">[{number}]</a></sup>'


def _render_footnote_anchor(
    _self: Any, tokens: list[Token], index: int, _options: Any, _env: Any
) -> str:
    number = _footnote_number(tokens, index)
    return f' <a href="#fnref:{number}" class="footnote-backref">↩︎</a>'


def _make_parser() -> MarkdownIt:
    md = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=Renderer)
    md.enable(["table", "strikethrough"]).disable(["html_block", "html_inline"])
    md.use(footnote_plugin, inline=False)
    md.inline.ruler.at("footnote_ref", _footnote_reference)
    md.use(mark_tasks).use(take_images_out_of_links).use(use_classes_for_alignment)
    md.use(keep_formulas).use(limit_time).use(read_plain_text_at_once)
    md.add_render_rule("image", render_image)
    md.add_render_rule("footnote_ref", _render_footnote_ref)
    md.add_render_rule("footnote_anchor", _render_footnote_anchor)
    md.validateLink = is_allowed_link  # type: ignore[method-assign]  # the documented way
    md.normalizeLink = normal_link  # type: ignore[method-assign]  # as above
    return md


_parser = _make_parser()  # keeps nothing between texts, so threads share it


def parse(text: str) -> list[Token]:
    """Raises `RenderingTooLong`."""
    env: dict[str, Any] = {}
    start_clock(env, text)
    return _parser.parse(text, env)


def to_html(text: str) -> str:
    """HTML that is not yet fit to be shown. Raises `RenderingTooLong`."""
    env: dict[str, Any] = {}
    start_clock(env, text)
    html: str = _parser.render(text, env)
    return html
