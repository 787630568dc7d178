"""Jobs in each of their statuses, as the services would have left them."""

from datetime import timedelta

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from jobs.enums import JobStatus
from jobs.models import Job
from tests.jobs.handlers import KIND

A_MINUTE_AGO = factory.LazyFunction(lambda: timezone.now() - timedelta(minutes=1))
IN_AN_HOUR = factory.LazyFunction(lambda: timezone.now() + timedelta(hours=1))


class JobFactory(DjangoModelFactory[Job]):
    """Due for a minute, unless a test says otherwise."""

    class Meta:
        model = Job

    class Params:
        future = factory.Trait(next_attempt_at=IN_AN_HOUR, scheduled_at=IN_AN_HOUR)
        retrying = factory.Trait(status=JobStatus.RETRYING, attempts=1)
        running = factory.Trait(
            status=JobStatus.RUNNING,
            next_attempt_at=None,
            revision=1,
            attempts=1,
            lease_owner="worker",
            lease_expires_at=IN_AN_HOUR,
            started_at=A_MINUTE_AGO,
        )
        completed = factory.Trait(
            status=JobStatus.COMPLETED,
            next_attempt_at=None,
            revision=2,
            attempts=1,
            started_at=A_MINUTE_AGO,
            finished_at=A_MINUTE_AGO,
        )
        failed = factory.Trait(
            status=JobStatus.FAILED,
            next_attempt_at=None,
            revision=6,
            attempts=3,
            started_at=A_MINUTE_AGO,
            finished_at=A_MINUTE_AGO,
        )
        cancelled = factory.Trait(
            status=JobStatus.CANCELLED,
            next_attempt_at=None,
            revision=1,
            finished_at=A_MINUTE_AGO,
        )

    kind = KIND
    handler_version = 3
    payload = factory.LazyFunction(lambda: {"text": "hello", "count": 1})
    scheduled_at = A_MINUTE_AGO
    next_attempt_at = A_MINUTE_AGO


def make_job(status: JobStatus = JobStatus.SCHEDULED, **values: object) -> Job:
    if status is JobStatus.SCHEDULED:
        return JobFactory.create(**values)
    return JobFactory.create(**{status.value: True}, **values)
