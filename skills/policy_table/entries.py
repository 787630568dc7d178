"""What the table is about: skills and tools, each as far as it is decided without the gates."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from django.utils.translation import gettext as _

from skills.definitions import Skill
from skills.enums import SkillKind, SkillScope
from skills.gate import reason_of
from skills.given import Given, all_given
from skills.manifests import Text
from skills.policy import PolicyDecision, decide_skill
from skills.policy_table.question import PolicyQuestion
from skills.registry import list_skills
from tools.decisions import Decision, Reason
from tools.enums import DecisionOutcome, Risk
from tools.errors import ToolFailure
from tools.gates import PreparedCall
from tools.models import Tool
from tools.schemas import CallContext
from tools.standpoint import foreseen_call, foreseen_calls

type SubjectKind = Literal["skill", "tool"]

# Their use calls nothing that could wait for a person: what would be asked each time is refused.
_NEVER_ASKED = (SkillKind.PROMPT, SkillKind.BACKGROUND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Either `decided`, or a call that the gates have to judge."""

    kind: SubjectKind
    id: str  # of a skill; the slug of a tool
    name: Text
    use: str = ""
    permissions: tuple[str, ...] = ()
    risk: Risk | None = None
    decided: Decision | None = None
    call: PreparedCall | None = None
    context: CallContext | None = None


def list_entries(question: PolicyQuestion) -> list[Entry]:
    """Skills, then the agent's tools in its order, then the others; four queries."""
    tools = {tool.slug: tool for tool in Tool.objects.order_by("sort_order", "name", "slug")}
    return [*_of_skills(question, tools), *_of_tools(question, tools)]


# --- Skills ---


def _of_skills(question: PolicyQuestion, tools: dict[str, Tool]) -> Iterator[Entry]:
    given = all_given(question.person, question.agent_id)
    for skill in list_skills():
        is_background = skill.manifest.scope == SkillScope.BACKGROUND
        if is_background or not question.unattended:  # no message asks while nobody is there
            yield _of_skill(skill, question, given, tools)


def _of_skill(
    skill: Skill, question: PolicyQuestion, given: Given, tools: dict[str, Tool]
) -> Entry:
    """In the order of the runner: leave for the skill itself, its tool, then the gates."""
    manifest = skill.manifest
    risks = [one.risk for one in manifest.permissions]
    entry = Entry(
        kind="skill",
        id=manifest.skill_id,
        name=manifest.name,
        permissions=manifest.codes,
        risk=max(risks, default=Risk.L0),
    )
    decision = decide_skill(manifest, given)
    if decision.denied or manifest.kind in _NEVER_ASKED:
        return replace(entry, decided=_as_begun(decision))
    [tool_id] = skill.tool_ids
    tool = tools.get(tool_id)
    if tool is None or tool.type != tool_id:
        return replace(entry, decided=_refused("tool_missing", _("The tool is not there.")))
    try:
        call = foreseen_call(tool, skill.tool_use)
    except ToolFailure as failure:
        return replace(entry, decided=_refused(failure.code, failure.message))
    return replace(entry, call=call, context=question.context_of(manifest, tool_id))


def _as_begun(decision: PolicyDecision) -> Decision:
    reason = reason_of(decision)
    if not decision.allowed:
        reason = replace(reason, outcome=DecisionOutcome.DENY)
    return Decision((reason,))


# --- Tools ---


def _of_tools(question: PolicyQuestion, tools: dict[str, Tool]) -> Iterator[Entry]:
    given = question.given_tools
    for slug in given:
        if slug in tools:
            yield from _of_tool(tools[slug], question)
    for slug, tool in tools.items() if question.every_tool else ():
        if slug not in given:
            yield from _of_tool(tool, question)


def _of_tool(tool: Tool, question: PolicyQuestion) -> Iterator[Entry]:
    entry = Entry(kind="tool", id=tool.slug, name=tool.name)
    try:
        calls = list(foreseen_calls(tool))
    except ToolFailure as failure:
        yield replace(entry, decided=_refused(failure.code, failure.message))
        return
    for use, call in calls:
        yield replace(
            entry,
            use=use,
            permissions=call.annotations.permission_codes,
            risk=call.annotations.risk,
            call=call,
            context=question.context,
        )


def _refused(code: str, reason: str) -> Decision:
    """Before any gate is asked."""
    return Decision((Reason("tool", DecisionOutcome.DENY, code, reason),))
