"""The gates that every call passes: settings.TOOL_GATES names them, all run, the worst wins.

A gate is a small class with one method. One that can't decide, refuses: so does one that raises.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.base.transactions import savepoint
from tools.decisions import Decision, Reason
from tools.enums import DecisionOutcome, Risk
from tools.models import Tool
from tools.registry import AnyToolType
from tools.schemas import Annotations, CallContext, Plan
from tools.tool_type import ToolConfig, ToolInput

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedCall:
    """A call whose arguments are validated and planned: what the gates judge and what runs."""

    tool: Tool
    tool_type: AnyToolType
    config: ToolConfig
    arguments: ToolInput
    annotations: Annotations
    plan: Plan


class Gate(Protocol):
    name: ClassVar[str]

    def judge(self, call: PreparedCall, context: CallContext) -> Reason: ...


class EnabledGate:
    """The tool is switched on, and it is one of those that the caller was given."""

    name: ClassVar[str] = "enabled"

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        if not call.tool.enabled:
            return self._deny("tool_disabled", _("The tool is switched off."))
        if context.tool_set is not None and call.tool.slug not in context.tool_set:
            return self._deny("not_in_tool_set", _("This agent was not given the tool."))
        return Reason(self.name, DecisionOutcome.ALLOW, "enabled", _("The tool is switched on."))

    def _deny(self, code: str, reason: str) -> Reason:
        return Reason(self.name, DecisionOutcome.DENY, code, reason)


class ApprovalGate:
    """Whether a person has to confirm: what the type says, what rows add, what risk demands."""

    name: ClassVar[str] = "approval"

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        if call.annotations.risk >= Risk.L4 and context.actor.is_agent:
            return self._say(
                DecisionOutcome.DENY, "risk_refused", _("Agents may not do things of this risk.")
            )
        demand = next(self._demands(call, context), None)
        if demand is None:
            return self._say(DecisionOutcome.ALLOW, "no_approval_needed", _("No approval needed."))
        if self._confirmed_by_calling(call, context):
            return self._say(
                DecisionOutcome.ALLOW, "confirmed_by_caller", _("Confirmed by the caller.")
            )
        return self._say(DecisionOutcome.NEEDS_CONFIRMATION, *demand)

    def _demands(self, call: PreparedCall, context: CallContext) -> Iterator[tuple[str, str]]:
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


def judge(call: PreparedCall, context: CallContext, *, confirmed: bool = False) -> Decision:
    """Ask every gate; no gate at all is a refusal.

    `confirmed`: a person confirms this very call, which answers the approval gate's demand, but
    neither its refusal nor any other gate.
    """
    reasons = [_ask(path, call, context) for path in settings.TOOL_GATES]
    if confirmed:
        reasons = [_answered(reason) for reason in reasons]
    if not reasons:
        reasons = [Reason("none", DecisionOutcome.DENY, "no_gates", _("No gate could decide."))]
    return Decision(tuple(reasons))


def _answered(reason: Reason) -> Reason:
    if (reason.gate, reason.outcome) != (ApprovalGate.name, DecisionOutcome.NEEDS_CONFIRMATION):
        return reason
    return Reason(reason.gate, DecisionOutcome.ALLOW, "confirmed", _("Confirmed by the person."))


def _ask(path: str, call: PreparedCall, context: CallContext) -> Reason:
    """A gate that can't be loaded, raises, or breaks its query can't decide: it refuses."""
    name = path.rpartition(".")[2]
    try:
        gate: Gate = import_string(path)()
        name = gate.name
        with savepoint():
            return gate.judge(call, context)
    except Exception:
        log.exception("the gate %s could not decide", path)
        return Reason(name, DecisionOutcome.DENY, "gate_failed", _("The gate could not decide."))
