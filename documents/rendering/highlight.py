"""Colours for code: Pygments' tokens as spans with its short class names.

Works on finished HTML, in which code is text: nothing that somebody wrote becomes a tag. Lexers are
regular expressions of others, some of them quadratic and worse on texts made for it; so a page has
little time for them, a block a length, and a block with long runs of one character stays plain.
"""

import re
import time
from functools import cache
from html import escape, unescape

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, _TokenType

CPU_SECONDS = 0.025  # a page of full length is to be there in 150 ms
_TOKENS = 8  # between two looks at the clock
MAX_BLOCK = 4_000  # characters
# What people and models write, and whose lexers were tried with hostile texts.
LANGUAGES = frozenset(
    {
        *("bash", "c", "cpp", "css", "diff", "dockerfile", "go", "html", "http", "ini", "java"),
        *("javascript", "js", "json", "kotlin", "lua", "nginx", "php", "powershell", "py"),
        *("python", "rb", "ruby", "rust", "sh", "shell", "sql", "swift", "toml", "ts"),
        *("typescript", "xml", "yaml", "yml", "zsh"),
    }
)
_BLOCK = re.compile(
    r'<pre((?: [a-z-]+="[^"]*")*)>(<code class="language-([\w+#.\-]+)">)([^<]*)</code></pre>'
)
_LONG_RUN = re.compile(r"(\s)\1{39}|(.)\2{119}", re.DOTALL)
# Of names, signs and blanks there are too many to colour them.
_PLAIN = frozenset({"", "n", "p", "w", "o", "err", "l", "g", "x", "esc"})


class _OutOfTime(Exception):
    pass


def highlight(html: str) -> str:
    left = CPU_SECONDS

    def replace(block: re.Match[str]) -> str:
        nonlocal left
        attributes, opening, language, inner = block.groups()
        language = language.lower()
        if language not in LANGUAGES or len(inner) > MAX_BLOCK or _LONG_RUN.search(inner):
            return block[0]
        lexer = load_lexer(language)  # the first time it is loaded: no fault of the page's
        deadline = time.thread_time() + left
        try:
            spans = _spans(lexer, unescape(inner), deadline)
        except _OutOfTime:
            left = 0.0
            return block[0]
        left = deadline - time.thread_time()
        return f'<pre class="highlight"{attributes}>{opening}{spans}</code></pre>'

    return _BLOCK.sub(replace, html)


@cache
def load_lexer(language: str) -> Lexer:
    return get_lexer_by_name(language, stripnl=False, ensurenl=False)


def _spans(lexer: Lexer, code: str, deadline: float) -> str:
    parts = []
    for number, (kind, text) in enumerate(lexer.get_tokens(code)):
        if not number % _TOKENS and time.thread_time() > deadline:
            raise _OutOfTime
        name = _class_of(kind)
        if name:
            parts.append(f'<span class="{name}">{escape(text)}</span>')
        else:
            parts.append(escape(text))
    return "".join(parts)


@cache
def _class_of(kind: _TokenType) -> str:
    """ "" for what has no colour."""
    known = next(part for part in reversed(kind.split()) if part in STANDARD_TYPES)
    name = STANDARD_TYPES[known]
    return "" if name in _PLAIN else name
