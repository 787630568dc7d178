"""The quota gate: tool calls per run, per person and day, and per tool and day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import ClassVar, Self
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.base.models import User
from tools.budgets.limits import day_of, describe_renewal, limits_of, shown
from tools.budgets.quotas import reserve_place, used_of_each, used_on
from tools.budgets.usage import next_number
from tools.decisions import Reason
from tools.enums import DecisionOutcome
from tools.gates.prepared import PreparedCall
from tools.models import Tool
from tools.schemas import CallContext


@dataclass(frozen=True, slots=True)
class Taken:
    """What is used of the day by now, known beforehand."""

    number: int  # that the person's next call would have
    day: date
    of_tools: Mapping[UUID, int] = field(default_factory=dict)


class QuotaGate:
    """Goes by the numbers that the ledger gave the call when it came, and by its place in the day
    of its tool.

    They never change, so a call that was let through is let through again when a person confirms
    it, and of racing calls each knows its own place.
    """

    name: ClassVar[str] = "quota"

    def __init__(self, taken: Taken | None = None) -> None:
        self._taken = taken

    @classmethod
    def for_many(cls, calls: Sequence[PreparedCall], context: CallContext) -> Self:
        user, now = context.actor.user, timezone.now()
        limited = [call.tool for call in calls if call.tool.calls_per_day]
        used = used_of_each(limited, day_of(now)) if limited else {}
        return cls(Taken(next_number(user, now=now), day_of(now), used))

    def judge(self, call: PreparedCall, context: CallContext) -> Reason:
        user, now = context.actor.user, timezone.now()
        limits, row = limits_of(user), call.row
        in_run = (row and row.nth_in_run) or 1
        of_day = (row and row.nth_of_day) or self._next_number(user, now)
        if limits.calls_per_run and in_run > limits.calls_per_run:
            return self._deny("run_quota_exceeded", _run_is_used_up(limits.calls_per_run))
        if limits.calls_per_day and of_day > limits.calls_per_day:
            reason = _day_is_used_up(limits.calls_per_day)
            return self._deny("day_quota_exceeded", reason, describe_renewal(user, now=now))
        if call.tool.calls_per_day and not self._has_place(call, now):
            reason = _tool_is_used_up(call.tool.calls_per_day)
            return self._deny("tool_quota_exceeded", reason, describe_renewal(user, now=now))
        said = [_within_own(of_day, limits.calls_per_day), self._within_tools(call, now)]
        if not any(said):
            return Reason(self.name, DecisionOutcome.ALLOW, "no_quota", _("No limit of calls."))
        reason = " ".join(filter(None, said))
        return Reason(self.name, DecisionOutcome.ALLOW, "within_quota", reason)

    def _next_number(self, user: User, now: datetime) -> int:
        return self._taken.number if self._taken else next_number(user, now=now)

    def _used_on(self, tool: Tool, day: date) -> int:
        if self._taken and self._taken.day == day:
            return self._taken.of_tools.get(tool.pk, 0)
        return used_on(tool, day)

    def _has_place(self, call: PreparedCall, now: datetime) -> bool:
        """Where only the decision is asked for, nothing is reserved."""
        if call.row is None:
            return self._used_on(call.tool, day_of(now)) < call.tool.calls_per_day
        return reserve_place(call.row, call.tool, now=now)

    def _within_tools(self, call: PreparedCall, now: datetime) -> str:
        """What is taken of the tool's day, with this call's own place."""
        limit, row = call.tool.calls_per_day, call.row
        if not limit:
            return ""
        day = (row and row.quota_day) or day_of(now)
        taken = self._used_on(call.tool, day) + (row is None)
        said = {"n": shown(taken), "limit": shown(limit)}
        text = _(
            "It is call %(n)s of this tool’s day; the limit for everybody together is %(limit)s."
        )
        return text % said

    def _deny(self, code: str, *said: str) -> Reason:
        deny, reason = DecisionOutcome.DENY, " ".join(said)
        return Reason(self.name, deny, code, reason, denied_code="quota_exceeded")


def _run_is_used_up(limit: int) -> str:
    text = ngettext(
        "At most %(limit)s tool call is allowed in one run; it is used.",
        "At most %(limit)s tool calls are allowed in one run; all are used.",
        limit,
    )
    return text % {"limit": shown(limit)}


def _day_is_used_up(limit: int) -> str:
    text = ngettext(
        "At most %(limit)s tool call a day is allowed; it is used.",
        "At most %(limit)s tool calls a day are allowed; all are used.",
        limit,
    )
    return text % {"limit": shown(limit)}


def _tool_is_used_up(limit: int) -> str:
    text = ngettext(
        "This tool may be called %(limit)s time a day, by everybody together; that is used.",
        "This tool may be called %(limit)s times a day, by everybody together; all are used.",
        limit,
    )
    return text % {"limit": shown(limit)}


def _within_own(n: int, limit: int) -> str:
    if not limit:
        return ""
    said = {"n": shown(n), "limit": shown(limit)}
    return _("Tool call %(n)s of this day; the limit is %(limit)s.") % said
