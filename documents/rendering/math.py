"""Formulas stay text: `$…$` and `$$…$$` are shown as written, no mark in them is markdown."""

import re
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# As pandoc has it: no blank inside next to a single dollar, no digit after it, so that prices are
# none. A mark that opens nothing costs one look to the next dollar.
_FORMULA = re.compile(
    r"\$\$(?=[^$])(?:[^$\\]|\\.)+\$\$|\$(?![\s$])(?:[^$\\]|\\.)*(?<![\s\\])\$(?![\d$])", re.DOTALL
)
_MAX_LENGTH = 2_000


def keep_formulas(md: MarkdownIt) -> None:
    md.inline.ruler.before("escape", "formula", _formula)
    md.add_render_rule("formula", _render_formula)


def _formula(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "$":
        return False
    found = _FORMULA.match(state.src, state.pos, min(state.posMax, state.pos + _MAX_LENGTH))
    if not found:
        return False
    if not silent:
        token = state.push("formula", "code", 0)
        token.content = found[0]
        token.meta["display"] = found[0].startswith("$$")
    state.pos = found.end()
    return True


def _render_formula(_self: Any, tokens: list[Token], index: int, _options: Any, _env: Any) -> str:
    token = tokens[index]
    name = "math math-display" if token.meta["display"] else "math"
    return f'<code class="{name}">{escapeHtml(token.content)}</code>'
