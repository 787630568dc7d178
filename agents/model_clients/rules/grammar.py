"""Rules of a grammar: a pattern over a whole clause, and what it means."""

import re
from collections.abc import Callable, Iterable

from agents.model_clients.rules.intents import Intent

type Meaning = tuple[Intent, ...]
type Build = Callable[[re.Match[str]], Meaning]
type Rule = tuple[re.Pattern[str], Build]


def rule(pattern: str, build: Build) -> Rule:
    """A space in the pattern means white space, " ?" none or more; the whole clause must match."""
    spaced = pattern.replace(" ?", r"\s*").replace(" ", r"\s+")
    return re.compile(spaced, re.IGNORECASE | re.DOTALL), build


def apply_rules(rules: Iterable[Rule], clause: str) -> Meaning:
    """The meaning of the first rule that fits; a build may answer () to let others try."""
    for pattern, build in rules:
        if (match := pattern.fullmatch(clause)) and (meaning := build(match)):
            return meaning
    return ()
