"""Shorter ways to what the parser and its renderer would give: a page is to be there at once.

Both give the same as the long way, which tests/documents/test_rendering_quick.py compares.
"""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

# The signs at which an inline rule of ours begins or ends; markdown-it's own list has those of
# rules that we leave out.
_MARK = re.compile(r"[\n\\`*_~!\[\]<&$]")
# An address in which nothing is to be encoded: a short host in small letters, plain path and query.
_PLAIN_ADDRESS = re.compile(
    r"https?://(?=[^/?#]{1,60}(?:[/?#]|$))[a-z0-9]+(?:[.-][a-z0-9]+)*"
    r"(?:/[\w./-]*)?(?:\?[\w.=&-]*)?(?:#[\w-]*)?",
    re.ASCII,
)


def read_plain_text_at_once(md: MarkdownIt) -> None:
    """Without a mark a text is one token: most cells of tables, and many sentences."""
    md.inline.terminator_re = _MARK
    md.core.ruler.at("inline", _inline)


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            children: list[Token] = []
            token.children = children
            if _MARK.search(token.content):
                state.md.inline.parse(token.content, state.md, state.env, children)
            elif token.content:
                children.append(Token("text", "", 0, content=token.content))


def normal_link(url: str) -> str:
    return url if _PLAIN_ADDRESS.fullmatch(url) else normalizeLink(url)


class Renderer(RendererHTML):
    """Most tokens are a tag without attributes."""

    def renderToken(  # noqa: N802  (the parser's name)
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType
    ) -> str:
        token = tokens[idx]
        if token.hidden:
            return ""
        if token.attrs or not token.nesting or (idx and tokens[idx - 1].hidden):
            return super().renderToken(tokens, idx, options, env)
        if token.nesting < 0:
            return f"</{token.tag}>\n" if token.block else f"</{token.tag}>"
        following = tokens[idx + 1] if idx + 1 < len(tokens) else None
        return f"<{token.tag}>{_line_end(token, following)}"


def _line_end(opening: Token, following: Token | None) -> str:
    if not opening.block:
        return ""
    if following is None:
        return "\n"
    inside = following.type == "inline" or following.hidden
    empty = following.nesting < 0 and following.tag == opening.tag
    return "" if inside or empty else "\n"
