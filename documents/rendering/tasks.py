"""Task lists: `- [ ]` and `- [x]`. In one pass: a list of thousands of tasks stays linear."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_MARK = re.compile(r"\[([ xX])\](?=\s|$)")
_OPEN = {"bullet_list_open", "ordered_list_open"}
_CLOSE = {"bullet_list_close", "ordered_list_close"}


def mark_tasks(md: MarkdownIt) -> None:
    md.core.ruler.after("inline", "task_lists", _mark_tasks)


def _mark_tasks(state: StateCore) -> None:
    lists: list[Token] = []
    tokens = state.tokens
    for index, token in enumerate(tokens):
        if token.type in _OPEN:
            lists.append(token)
        elif token.type in _CLOSE:
            lists.pop()
        elif token.type == "inline" and _starts_an_item(tokens, index) and _take_mark(token):
            tokens[index - 2].attrSet("class", "task-list-item")
            lists[-1].attrSet("class", "contains-task-list")


def _starts_an_item(tokens: list[Token], index: int) -> bool:
    return (
        index >= 2
        and tokens[index - 1].type == "paragraph_open"
        and tokens[index - 2].type == "list_item_open"
    )


def _take_mark(inline: Token) -> bool:
    """Put a checkbox for the mark at the start of the text; False if there is none."""
    children = inline.children or []
    if not children or children[0].type != "text":
        return False
    found = _MARK.match(children[0].content)
    if not found:
        return False
    children[0].content = children[0].content[found.end() :]
    children.insert(0, _checkbox(checked=found[1] != " "))
    return True


def _checkbox(*, checked: bool) -> Token:
    token = Token("task_checkbox", "input", 0)
    token.attrs = {"type": "checkbox", "disabled": ""}
    if checked:
        token.attrs["checked"] = ""
    return token
