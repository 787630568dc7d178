"""Looking for a pattern. Runs in the child process: no Django, and nothing here is hurried."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from tools.bounded.failures import LIMIT, Refused

DIGITS = re.compile("[0-9]{1,5}")  # no name of a group begins with one

type Found = dict[str, Any]


def extract(
    pattern: str,
    text: str,
    *,
    ignore_case: bool,
    count: int | None,
    group: int | str | None,
    max_matches: int,
    max_chars: int,
) -> Found:
    """`{"matches": […], "truncated": …}`; cut where the texts of all groups exceed `max_chars`."""
    compiled = _compile(pattern, ignore_case)
    if isinstance(group, str) and DIGITS.fullmatch(group):
        group = int(group)
    if group is not None and not _has_group(compiled, group):
        raise Refused("group", str(group))
    matches: list[Found] = []
    left = max_chars
    for match in _matches(compiled, text, count):
        found = _whole(match) if group is None else _one_group(match, group)
        if found is None:
            continue
        left -= _size(found)
        if left < 0 or len(matches) == max_matches:
            return {"matches": matches, "truncated": True}
        matches.append(found)
    return {"matches": matches, "truncated": False}


def replace(
    pattern: str,
    text: str,
    *,
    ignore_case: bool,
    count: int | None,
    replacement: str,
    literal: bool,
    max_matches: int,
    max_chars: int,
) -> str:
    compiled = _compile(pattern, ignore_case)
    new_text = _replacer(compiled, replacement, literal=literal)
    parts: list[str] = []
    left, end = max_chars, 0
    for match in _few(_matches(compiled, text, count), max_matches):
        part = text[end : match.start()] + new_text(match)
        left, end = left - len(part), match.end()
        if left < 0:
            raise Refused(LIMIT, "output")
        parts.append(part)
    if len(text) - end > left:
        raise Refused(LIMIT, "output")
    return "".join([*parts, text[end:]])


def split(
    pattern: str, text: str, *, ignore_case: bool, count: int | None, max_matches: int
) -> list[str]:
    """The parts alone: what groups caught is not among them."""
    compiled = _compile(pattern, ignore_case)
    parts: list[str] = []
    end = 0
    for match in _few(_matches(compiled, text, count), max_matches):
        parts.append(text[end : match.start()])
        end = match.end()
    return [*parts, text[end:]]


def _compile(pattern: str, ignore_case: bool) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except (re.error, OverflowError, ValueError) as error:
        raise Refused("pattern", str(error)) from error


def _matches(compiled: re.Pattern[str], text: str, count: int | None) -> Iterator[re.Match[str]]:
    return islice(compiled.finditer(text), count)


def _few(matches: Iterator[re.Match[str]], max_matches: int) -> Iterator[re.Match[str]]:
    """A text that is changed in part only would be wrong, and look right."""
    for number, match in enumerate(matches):
        if number == max_matches:
            raise Refused(LIMIT, "matches")
        yield match


def _has_group(compiled: re.Pattern[str], group: int | str) -> bool:
    if isinstance(group, str):
        return group in compiled.groupindex
    return 0 <= group <= compiled.groups


def _whole(match: re.Match[str]) -> Found:
    found: Found = {"text": match[0], "start": match.start()}
    if match.re.groups:
        found["groups"] = list(match.groups())
    if match.re.groupindex:
        found["named"] = match.groupdict()
    return found


def _one_group(match: re.Match[str], group: int | str) -> Found | None:
    text = match[group]
    return None if text is None else {"text": text, "start": match.start(group)}


def _size(found: Found) -> int:
    caught = (*found.get("groups", ()), *found.get("named", {}).values())
    return len(found["text"]) + sum(len(text or "") for text in caught)


def _replacer(
    compiled: re.Pattern[str], replacement: str, *, literal: bool
) -> Callable[[re.Match[str]], str]:
    if literal:
        return lambda _match: replacement
    try:
        compiled.sub(replacement, "")  # refused even where nothing matches
    except (re.error, IndexError, ValueError) as error:
        raise Refused("replacement", str(error)) from error
    return lambda match: match.expand(replacement)
