"""The grant gate: what a skill or an agent does needs the permission that a person gave."""

from collections.abc import Sequence
from typing import ClassVar, Self

from django.utils.translation import gettext as _

from skills.definitions import Skill
from skills.given import Given, all_given, given_for_codes, given_for_skill
from skills.policy import PolicyDecision, decide_codes, decide_skill
from skills.registry import find_skill
from skills.workflows.cards import is_over
from tools.decisions import Leave, Reason
from tools.enums import DecisionOutcome, LeaveKind
from tools.gates import PreparedCall
from tools.schemas import CallContext

_TOLD = {"permission_missing", "permission_unknown", "skill_disabled"}  # as `error.code`, too


class GrantGate:
    """A skill's call is judged by its manifest; any other by the permission codes of its tool,
    met by a grant for any skill that declares them. One query for what was given, and none where
    nothing is needed; a workflow's call needs three more, to see whether it still holds.
    """

    name: ClassVar[str] = "grant"
    answered_by_person: ClassVar[bool] = True  # of what is confirmed each time

    def __init__(self, given: Given | None = None) -> None:
        self._given = given  # of the person and agent, known beforehand

    @classmethod
    def for_many(
        cls,
        calls: Sequence[PreparedCall],  # noqa: ARG003  (whichever they are)
        context: CallContext,
    ) -> Self:
        return cls(all_given(context.actor.user, context.actor.agent_id))

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        decision = self._of_skill(call, context) if context.skill else self._of_tool(call, context)
        return reason_of(decision)

    def _of_skill(self, call: PreparedCall, context: CallContext) -> PolicyDecision:
        skill = find_skill(context.skill, context.skill_version) if context.skill_version else None
        if skill is None:
            return _refuses("unknown_skill", _("There is no such skill, or not in this version."))
        if not _is_its_own(skill, call):
            return _refuses("not_its_tool", _("The skill may not use this tool."))
        undeclared = set(call.annotations.permission_codes) - set(skill.manifest.codes)
        if undeclared:
            reason = _("The skill does not declare the permission %(codes)s.")
            said = reason % {"codes": ", ".join(sorted(undeclared))}
            return _refuses("permission_not_declared", said)
        if call.row is not None and is_over(call.row):
            return _refuses("workflow_over", _("The workflow has ended, or has asked anew."))
        actor = context.actor
        manifest = skill.manifest
        given = self._given or given_for_skill(actor.user, actor.agent_id, manifest)
        return decide_skill(manifest, given)

    def _of_tool(self, call: PreparedCall, context: CallContext) -> PolicyDecision:
        codes = call.annotations.permission_codes
        if not codes:
            reason = _("It needs no permission.")
            allow = DecisionOutcome.ALLOW
            return PolicyDecision(outcome=allow, reason_code="no_permission_needed", reason=reason)
        actor = context.actor
        given = self._given or given_for_codes(actor.user, actor.agent_id, codes)
        return decide_codes(codes, given)


def reason_of(decision: PolicyDecision) -> Reason:
    """As the answer of the gate."""
    told = "permission_missing" if decision.missing else decision.reason_code
    granted = (Leave(kind=LeaveKind.PERMISSION_GRANT, id=grant.id) for grant in decision.grants)
    return Reason(
        GrantGate.name,
        decision.outcome,
        decision.reason_code,
        decision.reason,
        denied_code=told if told in _TOLD else "denied",
        leaves=tuple(granted),
        missing=decision.missing,
    )


def _is_its_own(skill: Skill, call: PreparedCall) -> bool:
    """The shipped tool of the type: not another row of it, and no row that took its name."""
    return call.tool.slug == call.tool.type and call.tool.type in skill.tool_ids


def _refuses(code: str, reason: str) -> PolicyDecision:
    return PolicyDecision(outcome=DecisionOutcome.DENY, reason_code=code, reason=reason)
