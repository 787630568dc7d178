"""The first gate: is the tool there at all for this caller."""

from typing import ClassVar

from django.utils.translation import gettext as _

from tools.decisions import Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import PreparedCall
from tools.schemas import CallContext


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
