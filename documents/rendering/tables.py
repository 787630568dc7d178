"""Alignment of table columns by class: the page's policy forbids style attributes."""

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore


def use_classes_for_alignment(md: MarkdownIt) -> None:
    md.core.ruler.push("alignment_classes", _use_classes)


def _use_classes(state: StateCore) -> None:
    for token in state.tokens:
        if token.type in {"th_open", "td_open"}:
            side = str(token.attrs.pop("style", "")).removeprefix("text-align:")
            if side:
                token.attrs["class"] = f"align-{side}"
