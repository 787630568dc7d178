"""Asking every gate."""

import logging
from collections.abc import Sequence
from contextlib import suppress

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.base.transactions import savepoint
from tools.decisions import Decision, Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import Gate, KeepsConsent, LooksAhead, PreparedCall
from tools.gates.standing import usable_of_each, with_standing_approval
from tools.schemas import CallContext

log = logging.getLogger(__name__)


def judge(
    call: PreparedCall, context: CallContext, *, confirmed: bool = False, allowed: bool = False
) -> Decision:
    """Ask every gate; no gate at all is a refusal.

    `confirmed`: a person confirms this very call, which answers what the gates demand that are
    `answered_by_person`, but no refusal and no other gate; `allowed`: what they were shown said
    that data leaves, so it answers the demand for consent too. Else a standing approval of theirs
    answers the approval gate where it alone asks. Raises `LeaseLost` when the run is lost.
    """
    decision = ask_gates(call, context)
    if confirmed:
        return answered(decision, allowed=allowed)
    return with_standing_approval(decision, call, context)


def judge_many(calls: Sequence[tuple[PreparedCall, CallContext]]) -> list[Decision]:
    """What `judge` would say of each, by the same gates, with no more queries for more calls.

    All are of one person, agent and conversation, and none is in the ledger.
    """
    prepared = [call for call, _context in calls]
    if not prepared:
        return []
    context = calls[0][1]
    gates = [_looking_ahead(path, prepared, context) for path in settings.TOOL_GATES]
    usable = usable_of_each(prepared, context)
    return [
        with_standing_approval(_ask_all(gates, call, one), call, one, usable[call.tool.pk])
        for call, one in calls
    ]


def ask_gates(call: PreparedCall, context: CallContext) -> Decision:
    """What each says by itself, before anybody's word counts."""
    return _ask_all([(path, None) for path in settings.TOOL_GATES], call, context)


def _ask_all(
    gates: Sequence[tuple[str, Gate | None]], call: PreparedCall, context: CallContext
) -> Decision:
    reasons = [_ask(path, call, context, gate) for path, gate in gates]
    if not reasons:
        reasons = [Reason("none", DecisionOutcome.DENY, "no_gates", _("No gate could decide."))]
    return Decision(tuple(reasons))


def answered(decision: Decision, *, allowed: bool) -> Decision:
    """The same after a person has confirmed the call."""
    answerable = _answerable()
    reasons = [_confirmed(one) if one.gate in answerable else one for one in decision.reasons]
    if allowed:
        reasons = [_allowed(reason) for reason in reasons]
    return Decision(tuple(reasons))


def keep_consent(call: PreparedCall, context: CallContext) -> None:
    """Tell the gates that care for it; within the transaction that confirms the call."""
    for path in settings.TOOL_GATES:
        gate = import_string(path)()
        if isinstance(gate, KeepsConsent):
            gate.keep_consent(call, context)


def _answerable() -> set[str]:
    """Names of the gates whose demand a person's word answers; one that can't be loaded has
    refused.
    """
    names = set()
    for path in settings.TOOL_GATES:
        with suppress(ImportError):
            gate = import_string(path)
            if getattr(gate, "answered_by_person", False):
                names.add(gate.name)
    return names


def _confirmed(reason: Reason) -> Reason:
    if reason.outcome != DecisionOutcome.NEEDS_CONFIRMATION:
        return reason
    return _by_person(reason, "confirmed", _("Confirmed by the person."))


def _allowed(reason: Reason) -> Reason:
    if reason.outcome != DecisionOutcome.NEEDS_CONSENT:
        return reason
    return _by_person(reason, "allowed", _("Allowed by the person."))


def _by_person(asking: Reason, code: str, reason: str) -> Reason:
    """What they had granted before is needed still."""
    allow, leaves = DecisionOutcome.ALLOW, asking.leaves
    return Reason(asking.gate, allow, code, reason, leaves=leaves, by_person=True)


def _looking_ahead(
    path: str, calls: Sequence[PreparedCall], context: CallContext
) -> tuple[str, Gate | None]:
    """None for one that does not, or fails to: then it is asked as for a single call."""
    try:
        gate = import_string(path)
        with savepoint():
            return path, gate.for_many(calls, context) if isinstance(gate, LooksAhead) else None
    except Exception:
        log.exception("the gate %s could not look ahead", path)
        return path, None


def _ask(path: str, call: PreparedCall, context: CallContext, gate: Gate | None = None) -> Reason:
    """A gate that can't be loaded, raises, or breaks its query can't decide: it refuses."""
    name = path.rpartition(".")[2]
    try:
        gate = gate or import_string(path)()
        name = gate.name
        with savepoint():
            return gate.judge(call, context)
    except Exception:
        log.exception("the gate %s could not decide", path)
        return Reason(name, DecisionOutcome.DENY, "gate_failed", _("The gate could not decide."))
