"""How much of what may be used: settings.BUDGETS, and what a person's own row says instead.

Days are UTC's, the same for everybody: one's own time zone is one's own to change.
"""

from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from config.base.models import User
from config.base.moments import moment_for
from tools.models import UserBudget


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """0: no limit."""

    calls_per_run: int
    calls_per_day: int
    tokens_per_run: int
    tokens_per_day: int
    usd_per_run: Decimal
    usd_per_day: Decimal


_NAMES = tuple(field.name for field in fields(Limits))


def limits_of(user: User) -> Limits:
    """Read once for each object: a run, a request or a call that begins later reads it anew."""
    own: UserBudget | None = getattr(user, "budget", None)
    said = {name: value for name in _NAMES if (value := getattr(own, name, None)) is not None}
    return Limits(**{**settings.BUDGETS, **said})


def limits_anew(user: User) -> Limits:
    """As they are now, for what goes on for long: an operator may have lowered them meanwhile."""
    own = UserBudget.objects.filter(user=user).first()
    User._meta.get_field("budget").set_cached_value(user, own)
    return limits_of(user)


def shown(amount: int | Decimal) -> str:
    """As people read it: `20,000`; money with its cents."""
    if isinstance(amount, int):
        return str(number_format(amount, force_grouping=True))
    return str(number_format(amount, decimal_pos=2, force_grouping=True))


def day_of(now: datetime) -> date:
    return now.astimezone(UTC).date()


def renewal_of(day: date) -> datetime:
    """When the budgets of this day begin anew."""
    return datetime.combine(day + timedelta(days=1), time(), tzinfo=UTC)


def describe_renewal(user: User, *, now: datetime) -> str:
    """In the person's own time zone: `It renews on Nov. 30, 2026, 1 a.m. (Europe/Berlin).`"""
    return _("It renews on %(time)s.") % {"time": moment_for(user, renewal_of(day_of(now)))}
