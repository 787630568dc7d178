"""What takes time in proportion to the text, and so needs no process of its own."""

import re

from tools.types.text.schemas import Case, Counts

# Chinese characters and Japanese kana are written without spaces. Finding real words in them takes
# a dictionary, so each counts as one, as word processors do it; Korean has spaces.
_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WIDE_MARKS = "\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_WORD = re.compile(f"[{_ALONE}]|[^\\s{_ALONE}{_WIDE_MARKS}]+")
_LINE_END = re.compile("\r\n|\n|\r")
_NAME = re.compile("[^\\W\\d_]+(?:['’][^\\W\\d_]+)*")


def count(text: str) -> Counts:
    return {
        "characters": len(text),
        "characters_without_spaces": len(text) - sum(map(str.isspace, text)),
        "words": sum(any(map(str.isalnum, word)) for word in _WORD.findall(text)),
        "lines": len(_lines(text)),
        "bytes": len(text.encode()),
    }


def change_case(text: str, case: Case) -> str:
    match case:
        case "upper":
            return text.upper()
        case "lower":
            return text.lower()
        case "fold":
            return text.casefold()
        case "title":
            return _NAME.sub(lambda match: _capitalised(match[0]), text)


def dedupe(text: str, *, ignore_case: bool) -> str:
    first: dict[str, str] = {}
    for line in _lines(text):
        first.setdefault(line.casefold() if ignore_case else line, line)
    kept = "\n".join(first.values())
    return kept + "\n" if text.endswith(("\n", "\r")) else kept


def _capitalised(word: str) -> str:
    """Unlike `str.title`, which makes They'Re of they're."""
    return word[0].title() + word[1:].lower()


def _lines(text: str) -> list[str]:
    lines = _LINE_END.split(text)
    return lines if lines[-1] else lines[:-1]
