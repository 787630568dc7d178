"""Rules of a grammar: a pattern over a whole clause, and what it means."""

import re
from collections.abc import Callable, Iterable

from agents.model_clients.rules.intents import Intent

type Groups = dict[str, str]  # a group that took no part is ""
type Meaning = tuple[Intent, ...]
type Build = Callable[[Groups], Meaning]
type Rule = tuple[re.Pattern[str], Build]

MAX_CLAUSE = 600  # a longer one is no request but a text; it also bounds the patterns' work


def rule(pattern: str, build: Build) -> Rule:
    """A space in the pattern means white space, " ?" none or more; the whole clause must match.

    Both are possessive: a run of spaces is one thing, and costs no search for where to split it.
    """
    spaced = pattern.replace(" ?", r"\s*+").replace(" ", r"\s++")
    return re.compile(spaced, re.IGNORECASE | re.DOTALL), build


def apply_rules(rules: Iterable[Rule], clause: str) -> Meaning:
    """The meaning of the first rule that fits; a build may answer () to let others try."""
    for pattern, build in rules:
        match = pattern.fullmatch(clause)
        if match and (meaning := build(match.groupdict(""))):
            return meaning
    return ()


def apply_free(rules: Iterable[Rule], text: str) -> Meaning:
    """As above, for rules whose `text` runs to the end: patterns see only the beginning."""
    head = text[:MAX_CLAUSE]
    for pattern, build in rules:
        match = pattern.fullmatch(head)
        if not match:
            continue
        groups = match.groupdict("")
        if len(text) > MAX_CLAUSE:
            if "text" not in groups or match.end("text") != len(head):
                continue
            groups["text"] = text[match.start("text") :]
        if meaning := build(groups):
            return meaning
    return ()
