"""Judging one case: pure, no database, no clock."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from config.base.actor import Actor, Origin
from config.base.models import User
from skills.cases import Case, MessageCase, PayloadCase
from skills.context import SkillContext
from skills.definitions import BackgroundSkill, PromptSkill, Skill, ToolSkill
from skills.given import Given
from skills.registry import list_skills
from skills.selector import TURN_ORDER, Selection, select

log = logging.getLogger(__name__)

_AGENT = UUID("00000000-0000-7000-8000-000000000001")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problem` is for the skill's author; "": the case passed."""

    case: str
    problem: str = ""

    @property
    def passed(self) -> bool:
        return not self.problem


def judge_case(skill: Skill, case: Case, skills: Iterable[Skill] | None = None) -> Verdict:
    """Among these skills (else: the installed ones), as the turn of a message would take them."""
    others = list(list_skills() if skills is None else skills)
    try:
        return Verdict(case.name, _judge(skill, case, others))
    except Exception as error:
        log.exception("the case %r of %s could not be judged", case.name, skill.manifest)
        return Verdict(case.name, f"raised {type(error).__name__}")


def _judge(skill: Skill, case: Case, skills: list[Skill]) -> str:
    if isinstance(case, PayloadCase):
        return _judge_payload(skill, case)
    return _judge_message(skill, case, skills)


# --- What a message asks for ---


def _judge_message(skill: Skill, case: MessageCase, skills: list[Skill]) -> str:
    context = _context(case)
    found = _proposed(context, _given(skill, case), skills)
    selected = found.skill.manifest.skill_id if found.skill else ""
    if (selected, found.rejected) != (case.selects, case.rejected):
        got = selected or f"none: {found.rejected}"
        return f"expected {case.expected}, got {got}"
    return _judge_use(found.skill, case, context) if found.skill else ""


def _context(case: MessageCase) -> SkillContext:
    person = User(username="somebody", language=case.language)
    agent_id = _AGENT if case.has_agent else None
    actor = Actor(user=person, origin=Origin.CHAT, agent_id=agent_id)
    return SkillContext(actor=actor, text=case.text, scope=case.scope)


def _given(skill: Skill, case: MessageCase) -> Given:
    return Given(switches=((skill.manifest.skill_id, None, case.enabled),))


def _proposed(context: SkillContext, given: Given, skills: list[Skill]) -> Selection:
    """The first that is proposed; else the first reason but that nothing matched."""
    found = [select(context, given, kind, skills) for kind in TURN_ORDER]
    chosen = (one for one in found if one.skill)
    matched = (one for one in found if one.rejected not in ("", "no_match"))
    return next(chosen, None) or next(matched, Selection())


def _judge_use(skill: Skill, case: MessageCase, context: SkillContext) -> str:
    """What the skill then makes of the message."""
    if isinstance(skill, ToolSkill) and case.arguments is not None:
        built = skill.input_model.model_validate(dict(skill.build_input(context)))
        asked = built.model_dump(mode="json", exclude_none=True)
        return "" if asked == dict(case.arguments) else f"asks its tool for {asked}"
    if isinstance(skill, PromptSkill) and case.stays_out:
        said = skill.instruction(context).casefold()
        return "the message is in the instruction" if case.stays_out.casefold() in said else ""
    return ""


# --- What a job may carry ---


def _judge_payload(skill: Skill, case: PayloadCase) -> str:
    if not isinstance(skill, BackgroundSkill):
        return f"{skill.manifest} has no payload"
    errors = _errors(skill.payload_model, case)
    if errors != tuple(sorted(case.errors)):
        return f"expected {case.expected}, got {', '.join(errors) or 'taken as it is'}"
    return ""


def _errors(model: type[BaseModel], case: PayloadCase) -> tuple[str, ...]:
    """What is wrong with it; what is taken in another form than it came is wrong, too."""
    try:
        taken = model.model_validate(dict(case.payload)).model_dump(mode="json")
    except ValidationError as refusal:
        return tuple(sorted(_in_words(error) for error in refusal.errors(include_url=False)))
    changed = [name for name, value in case.payload.items() if taken.get(name) != value]
    return tuple(f"{name}: changed" for name in sorted(changed))


def _in_words(error: ErrorDetails) -> str:
    """Where and what, never the value: `agent_id: missing`."""
    return f"{'.'.join(map(str, error['loc']))}: {error['type']}"
