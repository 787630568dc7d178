"""The daily limit of a tool: a place is reserved once for each call, and given back if nothing
was done.

Tools without a limit count nothing here, so that their calls never wait for each other.
"""

from collections.abc import Iterable
from datetime import date, datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Case, F, IntegerField, OuterRef, QuerySet, Subquery, When
from django.db.models.functions import Coalesce, Greatest

from tools.budgets.limits import day_of
from tools.enums import OPEN_STATUSES, RETRIABLE_STATUSES, CallStatus
from tools.models import Tool, ToolCall, ToolDay

# So ends what was never executed.
NOTHING_DONE = frozenset(
    {CallStatus.DENIED, CallStatus.DISMISSED, CallStatus.EXPIRED, CallStatus.CANCELLED}
)
_RESERVE = """
    INSERT INTO tools_toolday (tool_id, day, calls) VALUES (%s, %s, 1)
    ON CONFLICT (tool_id, day) DO UPDATE SET calls = tools_toolday.calls + 1
    WHERE tools_toolday.calls < %s
    RETURNING calls
"""


def used_on(tool: Tool, day: date) -> int:
    """Places that are taken."""
    found = ToolDay.objects.filter(tool=tool, day=day).values_list("calls", flat=True).first()
    return found or 0


def used_of_each(tools: Iterable[Tool], day: date) -> dict[UUID, int]:
    """Of those of which any are taken; one query."""
    rows = ToolDay.objects.filter(tool__in=[tool.pk for tool in tools], day=day)
    return dict(rows.values_list("tool_id", "calls"))


def with_calls_on(tools: QuerySet[Tool], day: date) -> QuerySet[Tool]:
    """`calls_today`: places that are taken, of a tool with a limit; else null."""
    taken = ToolDay.objects.filter(tool=OuterRef("pk"), day=day).values("calls")
    limited = When(calls_per_day__gt=0, then=Coalesce(Subquery(taken), 0))
    return tools.annotate(calls_today=Case(limited, default=None, output_field=IntegerField()))


def reserve_place(call: ToolCall, tool: Tool, *, now: datetime) -> bool:
    """A place of today, unless the call has one; False: there is none left.

    Of racing calls each takes another one; a call keeps its own until it ends.
    """
    if call.quota_day is not None:
        return True
    with transaction.atomic():
        locked = ToolCall.objects.select_for_update().filter(
            pk=call.pk, status__in=(*OPEN_STATUSES, *RETRIABLE_STATUSES)
        )
        for taken in locked.values_list("quota_day", flat=True):
            day = taken or day_of(now)
            if taken is None and not _count_one(tool, day):
                return False
            locked.update(quota_day=day)
            call.quota_day = day
    return True  # also for one that its twin has ended meanwhile: it goes no further


def _count_one(tool: Tool, day: date) -> bool:
    tool_id = Tool._meta.pk.get_db_prep_save(tool.pk, connection)
    with connection.cursor() as cursor:
        cursor.execute(_RESERVE, [tool_id, day, tool.calls_per_day])
        return cursor.fetchone() is not None


def settle_place(call: ToolCall, status: CallStatus) -> None:
    """Within the transaction that ends the call: what did nothing gives its place back."""
    if call.quota_day is None or status not in NOTHING_DONE:
        return
    rows = ToolCall.objects.filter(pk=call.pk, quota_day=call.quota_day)
    if rows.update(quota_day=None) and call.tool_id:
        day = ToolDay.objects.filter(tool_id=call.tool_id, day=call.quota_day)
        day.update(calls=Greatest(F("calls") - 1, 0))
    call.quota_day = None
