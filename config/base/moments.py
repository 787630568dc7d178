"""Moments in sentences, which are kept and read elsewhere: so they name their zone."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format

from config.base.models import User


def moment_for(user: User, when: datetime) -> str:
    """In the person's own time zone: `Dec. 1, 2026, midnight (UTC)`."""
    return moment_in(user.time_zone, when)


def moment_in(zone: str, when: datetime) -> str:
    local = timezone.localtime(when, ZoneInfo(zone))
    return f"{date_format(local, 'DATETIME_FORMAT')} ({zone})"
