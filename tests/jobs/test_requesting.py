"""Asking for a job of one's own: what is judged whatever the door."""

from datetime import timedelta
from typing import Any

import pytest

from config.base.actor import Actor, Origin
from config.base.clock import database_now
from config.base.errors import NotPermitted
from config.base.models import User
from jobs.errors import (
    InvalidPayload,
    KindNotYours,
    TooFarAhead,
    TooManyJobs,
    TooManySeries,
    UnknownKind,
)
from jobs.models import Job, JobSeries
from jobs.services import end_series, request_job, requesting
from tests.jobs.api import OPERATORS_KIND, OWN_KIND, kinds
from tests.jobs.handlers import KIND
from tests.jobs.steps import events_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

DAILY = {"cron": "30 2 * * *", "zone": "UTC", "missed": "skip"}


@pytest.fixture(autouse=True)
def known_kinds(db: None) -> Any:
    with kinds():
        yield


def of(user: User) -> Actor:
    return Actor(user, Origin.API)


def test_a_job_is_the_actors(alice: User) -> None:
    job = request_job(of(alice), KIND, {"text": "hello"})
    assert (job.owner, events_of(job)) == (alice, ["job.created"])


def test_a_series_answers_its_first_job(alice: User) -> None:
    job = request_job(of(alice), KIND, {}, recurrence=DAILY)
    assert job.series == JobSeries.objects.get()
    assert (job.owner, job.series.missed_policy) == (alice, "skip")


@pytest.mark.parametrize(
    ("kind", "payload", "wishes", "error"),
    [
        ("test.none", {}, {}, UnknownKind),
        (OPERATORS_KIND, {}, {}, KindNotYours),
        (OWN_KIND, {}, {}, KindNotYours),
        (KIND, {}, {"priority": 0}, NotPermitted),
        (KIND, {}, {"priority": 7, "recurrence": DAILY}, NotPermitted),
        (KIND, {"text": "a\0"}, {}, InvalidPayload),
        (KIND, {"text": "\ud800"}, {"recurrence": DAILY}, InvalidPayload),
    ],
)
def test_it_refuses(
    alice: User, kind: str, payload: dict[str, Any], wishes: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        request_job(of(alice), kind, payload, **wishes)
    assert not Job.objects.exists()
    assert not JobSeries.objects.exists()


def test_a_year_ahead_is_enough(alice: User) -> None:
    now = database_now()
    with pytest.raises(TooFarAhead):
        request_job(of(alice), KIND, {}, scheduled_at=now + timedelta(days=370))
    later = now + timedelta(days=360)
    assert request_job(of(alice), KIND, {}, scheduled_at=later).scheduled_at == later


def test_an_operator_gives_priority_and_makes_operators_kinds(operator: User) -> None:
    assert request_job(of(operator), OPERATORS_KIND, {}, priority=7).priority == 7


def test_one_persons_jobs_are_bounded(alice: User, bob: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(requesting, "MOST_WAITING", 2)
    for _ in range(2):
        request_job(of(alice), KIND, {})
    with pytest.raises(TooManyJobs):
        request_job(of(alice), KIND, {})
    request_job(of(bob), KIND, {})


def test_one_persons_series_are_bounded(alice: User, monkeypatch: Any) -> None:
    monkeypatch.setattr(requesting, "MOST_SERIES", 1)
    job = request_job(of(alice), KIND, {}, recurrence=DAILY)
    with pytest.raises(TooManySeries):
        request_job(of(alice), KIND, {}, recurrence=DAILY)
    assert job.series is not None
    end_series(of(alice), job.series.pk)
    request_job(of(alice), KIND, {}, recurrence=DAILY)
