"""Asking every gate."""

import logging

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.base.transactions import savepoint
from tools.decisions import Decision, Reason
from tools.enums import DecisionOutcome
from tools.gates.approval import ApprovalGate
from tools.gates.prepared import Gate, PreparedCall
from tools.gates.standing import with_standing_approval
from tools.gates.taint import TaintGate
from tools.gates.unattended import UnattendedGate
from tools.schemas import CallContext

log = logging.getLogger(__name__)

_ANSWERABLE = frozenset({ApprovalGate.name, TaintGate.name, UnattendedGate.name})


def judge(call: PreparedCall, context: CallContext, *, confirmed: bool = False) -> Decision:
    """Ask every gate; no gate at all is a refusal.

    `confirmed`: a person confirms this very call, which answers what the approval, the taint and
    the unattended gate demand, but no refusal and no other gate. Else a standing approval of theirs
    answers the approval gate where it alone asks. Raises `LeaseLost` when the run is lost.
    """
    reasons = [_ask(path, call, context) for path in settings.TOOL_GATES]
    if confirmed:
        reasons = [_answered(reason) for reason in reasons]
    if not reasons:
        reasons = [Reason("none", DecisionOutcome.DENY, "no_gates", _("No gate could decide."))]
    decision = Decision(tuple(reasons))
    return decision if confirmed else with_standing_approval(decision, call, context)


def _answered(reason: Reason) -> Reason:
    demands = reason.outcome == DecisionOutcome.NEEDS_CONFIRMATION
    if not demands or reason.gate not in _ANSWERABLE:
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
