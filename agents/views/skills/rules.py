"""When something recurs: from what a person chooses to cron, and from cron to words."""

import re
from datetime import datetime

from django.db.models import TextChoices
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from jobs.models import JobSeries

_LAST_DAY = 31
_WORKING_DAYS = "1-5"
_CRON = re.compile(rf"(\d{{1,2}}) (\d{{1,2}}) (\*|L|\d{{1,2}}) \* (\*|\d|{_WORKING_DAYS})")


class Repeat(TextChoices):
    ONCE = "once", gettext_lazy("Does not repeat")
    DAILY = "daily", gettext_lazy("Every day at this time")
    WORKING_DAYS = "working_days", gettext_lazy("Every working day (Mon–Fri)")
    WEEKLY = "weekly", gettext_lazy("Every week on this weekday")
    MONTHLY = "monthly", gettext_lazy("Every month on this day")
    CRON = "cron", gettext_lazy("By a cron expression…")


def cron_of(repeat: Repeat, local: datetime) -> str:
    """Of one that recurs by choice; the 31st is the last day of any month."""
    day, weekday = "*", "*"
    if repeat == Repeat.WORKING_DAYS:
        weekday = _WORKING_DAYS
    if repeat == Repeat.WEEKLY:
        weekday = str(local.isoweekday() % 7)
    if repeat == Repeat.MONTHLY:
        day = "L" if local.day == _LAST_DAY else str(local.day)
    return f"{local.minute} {local.hour} {day} * {weekday}"


def in_words(series: JobSeries) -> str:
    """With its zone; a rule that is none of ours as it was written."""
    found = _CRON.fullmatch(series.cron)
    return f"{_said(found) if found else series.cron} ({series.zone})"


def _said(found: re.Match[str]) -> str:
    minute, hour, day, weekday = found.groups()
    facts = {"time": f"{int(hour):02}:{int(minute):02}", "day": day}
    if day == "*" and weekday == "*":
        return _("every day at %(time)s") % facts
    if day == "*" and weekday == _WORKING_DAYS:
        return _("Mon–Fri at %(time)s") % facts
    if day == "*":
        weekdays = {**facts, "weekday": WEEKDAYS[(int(weekday) - 1) % 7]}
        return _("every %(weekday)s at %(time)s") % weekdays
    if weekday != "*":
        return found.string
    if day == "L":
        return _("on the last day of each month at %(time)s") % facts
    return _("each month on day %(day)s at %(time)s") % facts
