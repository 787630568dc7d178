"""The unattended gate: what a run may do while nobody is there (jobs, schedules)."""

from typing import ClassVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.decisions import Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import PreparedCall
from tools.schemas import CallContext
from tools.telling import told

_ALLOW, _DENY = DecisionOutcome.ALLOW, DecisionOutcome.DENY


_WAITS_FOR_THEM = gettext_lazy("Nobody is there; what it writes waits for %(person)s.")


class UnattendedGate:
    """Reads run; writes wait in the inbox; nothing is sent, and nothing asked of unnamed hosts."""

    name: ClassVar[str] = "unattended"
    answered_by_person: ClassVar[bool] = True

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        if not context.unattended:
            return self._say(_ALLOW, "attended", _("Its person can be asked."))
        known = call.annotations
        if known.open_world:
            return self._outside(call)
        if known.read_only:
            reason = _("It reads inside Gatehouse, and nothing leaves.")
            return self._say(_ALLOW, "unattended_read", reason)
        reason = told(_("Nobody is there; what it writes waits for you."), _WAITS_FOR_THEM)
        return self._say(DecisionOutcome.NEEDS_CONFIRMATION, "unattended_write", reason)

    def _outside(self, call: PreparedCall) -> Reason:
        if not call.annotations.read_only:
            reason = _("Nothing is sent while nobody is there.")
            return self._say(_DENY, "unattended_send", reason)
        outgoing = call.plan.outgoing
        if outgoing is None:
            reason = _("Nobody is there, and nobody can tell where this would ask.")
            return self._say(_DENY, "unattended_request", reason)
        if not outgoing.named_host:
            reason = _("While nobody is there, only hosts that the operator named are asked.")
            return self._say(_DENY, "unattended_host", reason)
        return self._say(_ALLOW, "host_named", _("The operator named this host."))

    def _say(self, outcome: DecisionOutcome, code: str, reason: str) -> Reason:
        return Reason(self.name, outcome, code, reason)
