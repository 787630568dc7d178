"""No text may hold or fill a web process: rendering has a budget of processor time, and a length.

The parser has cases that are quadratic in the text. Its rules are called for every line and every
mark, so a rule that looks at the clock ends them all, the unknown ones too. What the parser keeps
is bounded by the text: at worst some 600 bytes a character (headings of a single `#`).
"""

import time

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.utils import EnvType

from documents.rendering.errors import RenderingTooLong

CPU_SECONDS = 1.0
MAX_LENGTH = 100_000  # characters: of a message, and twice those of a document
_DEADLINE, _CALLS_LEFT = "deadline", "calls_left"
_CALLS = 8  # between two looks at the clock, which cost as much as a rule that finds nothing
_ALL_BLOCKS = ["paragraph", "reference", "blockquote", "list"]


def start_clock(env: EnvType, text: str) -> None:
    """Processor time of this thread: a busy machine does not shorten the budget.

    Raises `RenderingTooLong` for a text that is past any length worth the attempt.
    """
    if len(text) > MAX_LENGTH:
        raise RenderingTooLong
    env[_DEADLINE] = time.thread_time() + CPU_SECONDS
    env[_CALLS_LEFT] = 1


def _check(env: EnvType) -> None:
    env[_CALLS_LEFT] -= 1
    if env[_CALLS_LEFT]:
        return
    env[_CALLS_LEFT] = _CALLS
    if time.thread_time() > env[_DEADLINE]:
        raise RenderingTooLong


def _block_rule(state: StateBlock, _start: int, _end: int, _silent: bool) -> bool:
    _check(state.env)
    return False


def _inline_rule(state: StateInline, _silent: bool) -> bool:
    _check(state.env)
    return False


def limit_time(md: MarkdownIt) -> None:
    """A plugin of the parser; its callers have to `start_clock` on the environment."""
    md.block.ruler.before("table", "time_limit", _block_rule, {"alt": _ALL_BLOCKS})
    md.inline.ruler.before("text", "time_limit", _inline_rule)
