"""Counting what people use, and telling how much of their budgets is left.

One row for each person and day. Its lock makes racing calls and model calls count one after the
other, so that together they can't use more than there is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from django.db import connection
from django.db.models import F
from django.utils import timezone

from config.base.errors import Bug
from config.base.inserts import insert, insertion, note_inserted, values_of
from config.base.models import User
from config.base.updates import fetch_with
from tools.budgets.limits import Limits, day_of, limits_of, renewal_of
from tools.models import ToolCall, UserDay

NEAR = Decimal("0.8")  # of a limit: from here on people are warned


@dataclass(frozen=True, slots=True)
class Meter:
    """How much of one limit is used. `name` is that of a field of `Limits`."""

    name: str
    used: int | Decimal
    limit: int | Decimal  # 0: none

    @property
    def share(self) -> Decimal:
        """Of the limit; can be above 1. 0 where there is none."""
        return Decimal(self.used) / Decimal(self.limit) if self.limit else Decimal(0)

    @property
    def is_near(self) -> bool:
        return self.share >= NEAR

    @property
    def is_full(self) -> bool:
        return bool(self.limit) and self.used >= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class DayUsage:
    """What a person has used today, beside what they may."""

    calls: Meter
    tokens: Meter
    usd: Meter
    model_calls: int
    limits: Limits
    renews_at: datetime

    def __iter__(self) -> Iterator[Meter]:
        return iter((self.calls, self.tokens, self.usd))


def get_usage_today(user: User, *, now: datetime) -> DayUsage:
    """For pages and warnings: two queries."""
    day, limits = day_of(now), limits_of(user)
    used = UserDay.objects.filter(user=user, day=day).first() or UserDay(user=user, day=day)
    return DayUsage(
        calls=Meter("calls_per_day", used.calls, limits.calls_per_day),
        tokens=Meter("tokens_per_day", used.tokens, limits.tokens_per_day),
        usd=Meter("usd_per_day", used.cost_usd, limits.usd_per_day),
        model_calls=used.model_calls,
        limits=limits,
        renews_at=renewal_of(day),
    )


# --- Tool calls ---

_COUNT_ONE = """
    INSERT INTO tools_userday
        (user_id, day, calls, model_calls, input_tokens, output_tokens, cost_usd)
    VALUES (%s, %s, 1, 0, 0, 0, 0)
    ON CONFLICT (user_id, day) DO UPDATE SET calls = tools_userday.calls + 1
    RETURNING calls
"""


def insert_counted(call: ToolCall) -> None:
    """A new call, with its number of the day and in its run. Refused ones count too.

    One statement on PostgreSQL, where the row of the day is held while it runs.
    """
    if call.user is None:
        insert([call])
        return
    if call.run_id:  # its fence is held: calls of one run come here one after the other
        call.nth_in_run = ToolCall.objects.filter(run_id=call.run_id).count() + 1
    counted = [User._meta.pk.get_db_prep_save(call.user.pk, connection), day_of(timezone.now())]
    if connection.vendor == "postgresql":
        row = insertion(ToolCall, values_of(call), taking=(("nth_of_day", "calls"),))
        call.nth_of_day = _number(fetch_with(_COUNT_ONE, counted, [row]))
        note_inserted(call)
    else:
        call.nth_of_day = _number(fetch_with(_COUNT_ONE, counted))
        insert([call])


def _number(row: tuple[Any, ...] | None) -> int:
    if row is None:
        raise Bug("the day was not counted")
    number: int = row[0]
    return number


def next_number(user: User, *, now: datetime) -> int:
    """The number that a call would have if it were made now."""
    used = UserDay.objects.filter(user=user, day=day_of(now)).values_list("calls", flat=True)
    return (used.first() or 0) + 1


# --- Model calls ---


@dataclass(frozen=True, slots=True)
class Hold:
    """What a model call was given before it began; the day is the one it counts to."""

    user: User
    day: date
    tokens: int
    output_tokens: int = 0
    cost_usd: Decimal = Decimal(0)

    def take(self) -> dict[str, Any]:
        return {
            "input_tokens": F("input_tokens") + self.tokens,
            "output_tokens": F("output_tokens") + self.output_tokens,
            "cost_usd": F("cost_usd") + self.cost_usd,
        }


def hold_tokens(
    user: User,
    tokens: int,
    limits: Limits,
    *,
    now: datetime,
    output_tokens: int = 0,
    cost_usd: Decimal = Decimal(0),
) -> Hold | None:
    """Count a prompt before it is sent; None when tokens or money of the day don't allow it.

    Its reply and its price are held too but need no room: whoever takes the last of a budget may
    go beyond it by that one reply, and those who come meanwhile find it used up.
    A process that dies leaves them counted: its prompt may well have been sent.
    """
    day = day_of(now)
    hold = Hold(user, day, tokens, output_tokens, round(cost_usd, 6))
    rows = UserDay.objects.filter(user=user, day=day)
    if limits.tokens_per_day:
        room = limits.tokens_per_day - tokens
        rows = rows.filter(input_tokens__lte=room - F("output_tokens"))
    if limits.usd_per_day:
        rows = rows.filter(cost_usd__lt=limits.usd_per_day)
    held = rows.update(**hold.take())
    if not held:  # too little is left, or nobody has begun the day yet
        UserDay.objects.get_or_create(user=user, day=day)
        held = rows.update(**hold.take())
    return hold if held else None


def settle_hold(hold: Hold, *, input_tokens: int, output_tokens: int, cost_usd: Decimal) -> None:
    """What it really was: in the transaction that stores the reply, if there is one."""
    UserDay.objects.filter(user=hold.user, day=hold.day).update(
        input_tokens=F("input_tokens") + (input_tokens - hold.tokens),
        output_tokens=F("output_tokens") + (output_tokens - hold.output_tokens),
        cost_usd=F("cost_usd") + (cost_usd - hold.cost_usd),
        model_calls=F("model_calls") + 1,
    )


def release_hold(hold: Hold) -> None:
    """The model gave nothing: nothing was used."""
    rows = UserDay.objects.filter(user=hold.user, day=hold.day)
    rows.update(
        input_tokens=F("input_tokens") - hold.tokens,
        output_tokens=F("output_tokens") - hold.output_tokens,
        cost_usd=F("cost_usd") - hold.cost_usd,
    )
