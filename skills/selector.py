"""Which skill a message asks for: a proposal only, by fixed rules and without a query.

The gate decides whether it may, the runner whether it does.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from skills.context import SkillContext
from skills.definitions import Skill
from skills.enums import MatchedBy, Rejection, SkillKind
from skills.given import Given
from skills.manifests import Manifest
from skills.messages import command_of, plain
from skills.registry import list_skills

# The order of a turn (seed 4); what works in the background no message asks for.
TURN_ORDER = (SkillKind.WORKFLOW, SkillKind.TOOL, SkillKind.PROMPT)

_SURENESS = {how: rank for rank, how in enumerate(MatchedBy)}


@dataclass(frozen=True, slots=True)
class Selection:
    """The proposed skill and what in the message asks for it, or why there is none."""

    skill: Skill | None = None
    matched_by: MatchedBy | None = None
    rejected: Rejection = "no_match"


@dataclass(frozen=True, slots=True)
class _Match:
    skill: Skill
    how: MatchedBy
    length: int  # of what matched: the longer, the surer

    @property
    def order(self) -> tuple[int, int, str]:
        return _SURENESS[self.how], -self.length, self.skill.manifest.skill_id


def select(
    context: SkillContext,
    given: Given,
    kind: SkillKind,
    skills: Iterable[Skill] | None = None,
) -> Selection:
    """Of the skills of this kind (else: the installed ones) the one that the message asks for.

    A command comes before a phrase, and a phrase before a pattern; of equals the longer one wins.
    """
    of_kind = [one for one in skills or list_skills() if one.manifest.kind == kind]
    text = plain(context.text)
    matches = sorted(_matches(of_kind, text), key=lambda match: match.order)
    rejected: Rejection = "no_match"
    for match in matches:
        reason = _rejection(match.skill.manifest, context, given)
        if not reason:
            return Selection(match.skill, match.how, "")
        rejected = reason if rejected == "no_match" else rejected
    return Selection(rejected=rejected)


def find_commanded(text: str) -> Skill | None:
    """The skill whose command the message begins with, switched on or not; no query."""
    command = command_of(text)
    matching = (one for one in list_skills() if command in one.manifest.matchers.explicit)
    return next(matching, None)


def _rejection(manifest: Manifest, context: SkillContext, given: Given) -> Rejection:
    if manifest.scope != context.scope:
        return "wrong_scope"
    return "" if given.is_enabled(manifest) else "disabled"


def _matches(skills: Iterable[Skill], text: str) -> Iterator[_Match]:
    for skill in skills:
        found = _found(skill.manifest, text)
        if found:
            yield _Match(skill, *found)


def _found(manifest: Manifest, text: str) -> tuple[MatchedBy, int] | None:
    command = command_of(text)
    if command in manifest.matchers.explicit:
        return MatchedBy.EXPLICIT, len(command)
    phrases = [one for one in map(plain, manifest.matchers.all_phrases()) if _says(text, one)]
    if phrases:
        return MatchedBy.PHRASE, max(map(len, phrases))
    searched = (_compiled(one).search(text) for one in manifest.matchers.all_patterns())
    lengths = [len(match.group()) for match in searched if match]
    return (MatchedBy.PATTERN, max(lengths)) if lengths else None


def _says(text: str, phrase: str) -> bool:
    """Whole words, where a script has them: “plan” is not in “planet”."""
    at = text.find(phrase)
    while at >= 0:
        if not _joins(text, at - 1, at) and not _joins(
            text, at + len(phrase) - 1, at + len(phrase)
        ):
            return True
        at = text.find(phrase, at + 1)
    return False


def _joins(text: str, left: int, right: int) -> bool:
    """Whether a word goes on across this place."""
    if left < 0 or right >= len(text):
        return False
    return _is_of_word(text[left]) and _is_of_word(text[right])


def _is_of_word(character: str) -> bool:
    """Chinese is written without gaps: there any place may be the end of a word."""
    return character.isalnum() and character < "\u2e80"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
