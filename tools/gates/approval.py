"""The last gate: does a person have to say yes.

What it demands, a standing approval of theirs may answer: `tools.gates.standing`.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from django.utils.translation import gettext as _

from tools.decisions import Reason
from tools.enums import DecisionOutcome, Risk
from tools.gates.prepared import PreparedCall
from tools.schemas import CallContext


class ApprovalGate:
    """Whether a person has to confirm: what the type says, what rows add, what risk demands."""

    name: ClassVar[str] = "approval"
    answered_by_person: ClassVar[bool] = True

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        if call.annotations.risk >= Risk.L4 and context.actor.is_agent:
            return self._say(
                DecisionOutcome.DENY, "risk_refused", _("Agents may not do things of this risk.")
            )
        demand = next(self.demands(call, context), None)
        if demand is None:
            return self._say(DecisionOutcome.ALLOW, "no_approval_needed", _("No approval needed."))
        if self._confirmed_by_calling(call, context):
            confirmed = self._say(
                DecisionOutcome.ALLOW, "confirmed_by_caller", _("Confirmed by the caller.")
            )
            return replace(confirmed, by_person=True)
        return self._say(DecisionOutcome.NEEDS_CONFIRMATION, *demand)

    @staticmethod
    def demands(call: PreparedCall, context: CallContext) -> Iterator[tuple[str, str]]:
        """Why a person has to confirm: codes and words."""
        if call.annotations.risk >= Risk.L3 and not call.annotations.read_only:
            yield "high_risk", _("It writes outside or has a high impact.")
        if call.annotations.requires_approval:
            yield "type_requires_approval", _("This action always needs a person's approval.")
        if call.tool.needs_approval:
            yield "tool_needs_approval", _("The operator set this tool to need approval.")
        if context.tool_set is not None and context.tool_set.get(call.tool.slug):
            yield "agent_needs_approval", _("For this agent the tool needs approval.")

    @staticmethod
    def _confirmed_by_calling(call: PreparedCall, context: CallContext) -> bool:
        """A person's own direct call, of our own tools, up to L2; L3 is always a draft."""
        return (
            context.confirm
            and not context.actor.is_agent
            and call.tool_type.first_party
            and call.annotations.risk <= Risk.L2
        )

    def _say(self, outcome: DecisionOutcome, code: str, reason: str) -> Reason:
        return Reason(self.name, outcome, code, reason)
