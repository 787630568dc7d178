"""The quota gate: tool calls per run, per person and day, and per tool and day."""

from datetime import datetime
from typing import ClassVar

from django.utils import timezone
from django.utils.translation import gettext as _

from tools.budgets.limits import day_of, describe_renewal, limits_of, shown
from tools.budgets.quotas import reserve_place, used_on
from tools.budgets.usage import next_number
from tools.decisions import Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import PreparedCall
from tools.schemas import CallContext


class QuotaGate:
    """Goes by the numbers that the ledger gave the call when it came, and by its place in the day
    of its tool.

    They never change, so a call that was let through is let through again when a person confirms
    it, and of racing calls each knows its own place.
    """

    name: ClassVar[str] = "quota"

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        user, now = context.actor.user, timezone.now()
        limits, row = limits_of(user), call.row
        in_run = (row and row.nth_in_run) or 1
        of_day = (row and row.nth_of_day) or next_number(user, now=now)
        if limits.calls_per_run and in_run > limits.calls_per_run:
            reason = _("At most %(limit)s tool calls are allowed in one run; all are used.")
            return self._deny("run_quota_exceeded", reason % {"limit": shown(limits.calls_per_run)})
        if limits.calls_per_day and of_day > limits.calls_per_day:
            reason = _("At most %(limit)s tool calls a day are allowed; all are used. %(renewal)s")
            said = {
                "limit": shown(limits.calls_per_day),
                "renewal": describe_renewal(user, now=now),
            }
            return self._deny("day_quota_exceeded", reason % said)
        if call.tool.calls_per_day and not self._has_place(call, now):
            reason = _(
                "This tool may be called %(limit)s times a day, by everybody together; all are "
                "used. %(renewal)s"
            )
            said = {
                "limit": shown(call.tool.calls_per_day),
                "renewal": describe_renewal(user, now=now),
            }
            return self._deny("tool_quota_exceeded", reason % said)
        if not limits.calls_per_day:
            return Reason(self.name, DecisionOutcome.ALLOW, "no_quota", _("No limit of calls."))
        return Reason(
            self.name,
            DecisionOutcome.ALLOW,
            "within_quota",
            _("Tool call %(n)s of this day; the limit is %(limit)s.")
            % {"n": shown(of_day), "limit": shown(limits.calls_per_day)},
        )

    @staticmethod
    def _has_place(call: PreparedCall, now: datetime) -> bool:
        """Where only the decision is asked for, nothing is reserved."""
        if call.row is None:
            return used_on(call.tool, day_of(now)) < call.tool.calls_per_day
        return reserve_place(call.row, call.tool, now=now)

    def _deny(self, code: str, reason: str) -> Reason:
        deny = DecisionOutcome.DENY
        return Reason(self.name, deny, code, reason, denied_code="quota_exceeded")
