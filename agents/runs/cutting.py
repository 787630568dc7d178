"""Making one tool result shorter without breaking its shape: ids and titles stay, texts are cut."""

import json
from typing import Any

from documents.tokens import estimate_tokens

_ROUNDS = 12  # of halving; what is still too long then is cut as text
_FEWEST_ITEMS, _SHORTEST_TEXT = 2, 40


def cut_result(content: str, *, tokens: int, note: str) -> str:
    """The result of a call as JSON text of about so many tokens, with `note` for the model."""
    length = int(len(content) * tokens / max(estimate_tokens(content), 1) * 0.9)
    try:
        told = json.loads(content)
    except ValueError:
        told = {"data": content}
    texts, items = max(length, _SHORTEST_TEXT), 1000
    for _round in range(_ROUNDS):
        cut = json.dumps({**_shorten(told, texts, items), "left_out": note}, ensure_ascii=False)
        if len(cut) <= length + len(note):
            return cut
        texts, items = max(texts // 2, _SHORTEST_TEXT), max(items // 2, _FEWEST_ITEMS)
    success = bool(told.get("success")) if isinstance(told, dict) else False
    rest = {"success": success, "excerpt": content[: max(length, 0)], "left_out": note}
    return json.dumps(rest, ensure_ascii=False)


def _shorten(value: Any, texts: int, items: int) -> Any:
    """Strings of `texts` characters, lists of `items` at most; each says what is missing."""
    if isinstance(value, str):
        rest = len(value) - texts
        return value if rest <= 0 else f"{value[:texts]}… [{rest} characters left out]"
    if isinstance(value, dict):
        return {name: _shorten(item, texts, items) for name, item in value.items()}
    if isinstance(value, list):
        kept = [_shorten(item, texts, items) for item in value[:items]]
        rest = len(value) - items
        return kept if rest <= 0 else [*kept, f"… [{rest} more left out]"]
    return value
