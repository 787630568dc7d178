"""What a skill ships beside it to be evaluated by: what it has to be proposed for, and what not.

The cases of a skill are the attribute `cases` of its definition; long lists stand beside it, in
`skill_cases.py`::

    MEETING_NOTES = (
        MessageCase(name="a command", text="/meeting-notes", selects="meeting-notes"),
        MessageCase(name="in a group", text="/meeting-notes", scope=GROUP, rejected="wrong_scope"),
    )

    class MeetingNotes(WorkflowSkill):
        cases = MEETING_NOTES

What a message asks for is told by `MessageCase`, what a background job may carry by `PayloadCase`.
`skills.definition_checks` wants both kinds of answer, yes and no, from each skill; the names are
kept with the results, so a renamed case is a new one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skills.enums import Rejection, SkillScope


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageCase:
    """Either `selects` the skill of this id, or `rejected` says why there is none."""

    name: str
    text: str
    language: str = "en"  # of the person
    scope: SkillScope = SkillScope.SINGLE_CHAT
    enabled: bool = True  # the person's switch of the skill that the case is of
    has_agent: bool = True
    selects: str = ""
    rejected: Rejection = ""
    arguments: Mapping[str, Any] | None = None  # what a tool skill asks its tool for
    stays_out: str = ""  # words of the message that may stand in no instruction

    @property
    def is_positive(self) -> bool:
        return bool(self.selects)

    @property
    def expected(self) -> str:
        return self.selects or f"none: {self.rejected}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadCase:
    """What a job would carry: taken as it is, or refused with `errors` such as
    `agent_id: missing`."""

    name: str
    payload: Mapping[str, Any]
    errors: tuple[str, ...] = ()

    @property
    def is_positive(self) -> bool:
        return not self.errors

    @property
    def expected(self) -> str:
        return ", ".join(self.errors) or "taken as it is"


type Case = MessageCase | PayloadCase
