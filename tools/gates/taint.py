"""The taint gate: what a run has read decides what it may still do without a person.

By table, no model involved: whoever wrote a page, a search result or a document may have written
it for the agent that reads it.
"""

from typing import ClassVar

from django.utils.translation import gettext as _

from config.base.provenance import Provenance
from tools.decisions import Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import PreparedCall
from tools.reach import Verdict
from tools.schemas import CallContext


class TaintGate:
    name: ClassVar[str] = "taint"
    answered_by_person: ClassVar[bool] = True

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        verdict = self._verdict(call, context)
        outcome = DecisionOutcome.ALLOW if verdict.free else DecisionOutcome.NEEDS_CONFIRMATION
        return Reason(self.name, outcome, verdict.code, verdict.reason)

    def _verdict(self, call: PreparedCall, context: CallContext) -> Verdict:
        known = call.annotations
        if not context.provenance:
            return Verdict(True, "untainted", _("Nothing from outside or private was read before."))
        if not known.open_world:
            return self._inside(call, context)
        if not known.read_only:
            return Verdict(False, "tainted_send", _sends(context.provenance))
        if call.plan.outgoing is None:
            reason = _("After what was read, nobody can tell what this would send.")
            return Verdict(False, "tainted_request", reason)
        return context.reach.judge(call.plan.outgoing)

    @staticmethod
    def _inside(call: PreparedCall, context: CallContext) -> Verdict:
        known = call.annotations
        if known.read_only:
            return Verdict(
                True, "reads_inside", _("It reads inside Gatehouse, and nothing leaves.")
            )
        if known.destructive:
            return Verdict(False, "tainted_deletion", _deletes(context.provenance))
        return Verdict(True, "marked", _("What it writes is marked with where it comes from."))


def _sends(provenance: frozenset[str]) -> str:
    if Provenance.UNTRUSTED not in provenance:
        return _("Private data was read before, and this sends.")
    if Provenance.PRIVATE not in provenance:
        return _("Something that somebody else wrote was read before, and this sends.")
    return _("Private data and something that somebody else wrote were read before, and this "
             "sends.")  # fmt: skip


def _deletes(provenance: frozenset[str]) -> str:
    if Provenance.UNTRUSTED not in provenance:
        return _("Private data was read before, and this deletes.")
    if Provenance.PRIVATE not in provenance:
        return _("Something that somebody else wrote was read before, and this deletes.")
    return _("Private data and something that somebody else wrote were read before, and this "
             "deletes.")  # fmt: skip
