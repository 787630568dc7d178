"""The taint gate: what a run has read decides what it may still do without a person.

By table, no model involved: whoever wrote a page, a search result or a document may have written
it for the agent that reads it.
"""

from typing import ClassVar

from django.utils.translation import gettext as _

from tools.decisions import Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import PreparedCall
from tools.reach import Verdict
from tools.schemas import CallContext


class TaintGate:
    name: ClassVar[str] = "taint"

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        verdict = self._verdict(call, context)
        outcome = DecisionOutcome.ALLOW if verdict.free else DecisionOutcome.NEEDS_CONFIRMATION
        return Reason(self.name, outcome, verdict.code, verdict.reason)

    def _verdict(self, call: PreparedCall, context: CallContext) -> Verdict:
        known = call.annotations
        if not context.provenance:
            return Verdict(True, "untainted", _("Nothing from outside or private was read before."))
        if not known.open_world:
            return self._inside(call)
        if not known.read_only:
            reason = _("Something from outside or private was read, and this sends.")
            return Verdict(False, "tainted_send", reason)
        if call.plan.outgoing is None:
            reason = _("After what was read, nobody can tell what this would send.")
            return Verdict(False, "tainted_request", reason)
        return context.reach.judge(call.plan.outgoing)

    @staticmethod
    def _inside(call: PreparedCall) -> Verdict:
        known = call.annotations
        if known.read_only:
            return Verdict(
                True, "reads_inside", _("It reads inside Gatehouse, and nothing leaves.")
            )
        if known.destructive:
            reason = _("Something from outside or private was read, and this deletes.")
            return Verdict(False, "tainted_deletion", reason)
        return Verdict(True, "marked", _("What it writes is marked with where it comes from."))
