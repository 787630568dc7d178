"""A kind of job that says when it ran, and workers that were off for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.db.models import F
from pydantic import JsonValue

from config.base.actor import Actor, Origin
from config.base.clock import database_now
from config.base.models import User
from jobs.errors import PermanentFailure
from jobs.handlers import Handler, JobCall, Payload
from jobs.models import Job, JobSeries
from jobs.testing import registered

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Words(Payload):
    words: str = ""


class Noting(Handler[Words]):
    kind = "test.noting"
    payload_model = Words
    noted: ClassVar[list[datetime | None]] = []
    is_permitted: ClassVar[bool] = True
    fails: ClassVar[bool] = False

    def check_permission(self, job: Job, payload: Words) -> None:
        if not self.is_permitted:
            raise PermanentFailure(code="not_permitted_now")

    def apply(self, call: JobCall[Words], prepared: Any) -> JsonValue:
        if self.fails:
            raise RuntimeError("as told")
        self.noted.append(call.job.planned_at)
        return None


@contextmanager
def noting() -> Iterator[list[datetime | None]]:
    """The planned times that ran."""
    Noting.noted = []
    with registered(Noting):
        yield Noting.noted


def person(user: User) -> Actor:
    return Actor(user, Origin.API)


def in_an_hour() -> str:
    """Daily, the next time in about an hour."""
    return f"{database_now() + HOUR:%M %H} * * *"


def plan_of(series: JobSeries) -> Job:
    """The one job of it that waits."""
    return Job.objects.waiting().get(series=series)


def be_off(series: JobSeries, how_long: timedelta) -> datetime:
    """As if no worker had run: what waits was planned so much earlier; for when it was."""
    earlier = {"planned_at": F("planned_at") - how_long}
    Job.objects.waiting().filter(series=series).update(
        **earlier, next_attempt_at=F("planned_at") - how_long
    )
    JobSeries.objects.filter(pk=series.pk).update(planned_until=F("planned_until") - how_long)
    planned = plan_of(series).planned_at
    assert planned is not None
    return planned
