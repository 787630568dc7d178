"""What the console's first page says of jobs: attempts, waits, failures, a queue that stands."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from config.base.admin_periods import period_of
from config.base.models import User
from config.dashboard.jobs import (
    KindFailures,
    count_attempts_by_slot,
    list_failures,
    list_longest_waits,
)
from jobs.enums import AttemptOutcome
from jobs.models import Job, JobAttempt, PausedKind, WorkerBeat
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND
from tests.plans import analyze, assert_uses_index

pytestmark = [pytest.mark.django_db, pytest.mark.both]

COMPLETED, FAILED, LOST = AttemptOutcome


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def add_attempt(outcome: AttemptOutcome, ago: timedelta = timedelta(0), **values: Any) -> Job:
    job = JobFactory.create(failed=True, **values)
    ended = timezone.now() - ago
    JobAttempt.objects.create(
        job=job, number=1, outcome=outcome, started_at=ended, finished_at=ended
    )
    return job


def add_wait(seconds: float, ago: timedelta = timedelta(0), attempts: int = 1) -> Job:
    ended = timezone.now() - ago
    return JobFactory.create(
        completed=True,
        attempts=attempts,
        scheduled_at=ended - timedelta(seconds=seconds),
        started_at=ended,
        finished_at=ended,
    )


def page(console: Client, period: str = "24h") -> Any:
    response = console.get(reverse("admin:index"), {"period": period})
    assert response.status_code == 200
    return response


def attention(console: Client) -> dict[str, str]:
    """Text to level."""
    return {item.text: item.level for item in page(console).context["attention"]}


# --- Figures ---


def test_attempts_are_counted_by_outcome_and_slot() -> None:
    add_attempt(COMPLETED)
    add_attempt(COMPLETED)
    add_attempt(LOST, timedelta(hours=2))
    add_attempt(FAILED, timedelta(days=2))
    found = count_attempts_by_slot(period_of("24h", timezone.now()))
    assert list(found) == [COMPLETED, LOST]
    assert found[COMPLETED][-1] == 2
    assert found[LOST][-3] == 1


def test_the_longest_wait_of_a_slot_counts() -> None:
    add_wait(3)
    add_wait(12.5)
    add_wait(-60, timedelta(hours=1))  # hurried: it began before its time
    add_wait(900, attempts=2)  # that one waited for its second attempt
    waits = list_longest_waits(period_of("24h", timezone.now()))
    assert waits[-1] == pytest.approx(12.5, abs=0.01)
    assert sum(waits) == pytest.approx(12.5, abs=0.01)


def test_failures_are_counted_by_kind() -> None:
    add_attempt(FAILED)
    add_attempt(LOST)
    add_attempt(COMPLETED, kind="test.fine")
    add_attempt(FAILED, timedelta(days=2), kind="test.old")
    Job.objects.filter(kind__in=["test.fine", "test.old"]).update(
        finished_at=timezone.now() - timedelta(days=2)
    )
    assert list_failures(period_of("24h", timezone.now())) == [KindFailures(KIND, 2, 2)]


def test_the_figures_are_read_by_indexes() -> None:
    old = timezone.now() - timedelta(days=20)
    jobs = Job.objects.bulk_create(
        JobFactory.build(completed=True, finished_at=old) for _ in range(1500)
    )
    JobAttempt.objects.bulk_create(
        JobAttempt(job=job, number=1, outcome=COMPLETED, started_at=old, finished_at=old)
        for job in jobs
    )
    analyze(Job, JobAttempt)
    since = timezone.now() - timedelta(days=1)
    attempts = JobAttempt.objects.filter(finished_at__gte=since).order_by()
    assert_uses_index(attempts, "attempt_finished")
    ended = Job.objects.filter(finished_at__isnull=False, finished_at__gte=since)
    assert_uses_index(ended, "job_finished")


# --- The page ---


def test_it_shows_charts_with_their_figures_beside_them(console: Client) -> None:
    add_attempt(FAILED)
    add_wait(30)
    text = page(console).content.decode()
    for words in ("Attempts of jobs by outcome", "Longest wait for a start", "30 s", KIND):
        assert words in text


def test_without_jobs_there_are_no_charts_of_them(console: Client) -> None:
    assert "Longest wait" not in page(console).content.decode()


def test_who_may_not_see_jobs_sees_nothing_of_them(client: Client) -> None:
    clerk = User.objects.create(username="clerk", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_run"))
    client.force_login(clerk)
    add_attempt(FAILED)
    PausedKind.objects.create(kind=KIND)
    response = page(client)
    assert response.context["jobs"] == {}
    assert KIND not in response.content.decode()
    assert not [item for item in response.context["attention"] if "job" in item.text]


def test_every_figure_leads_to_the_jobs_behind_it(console: Client) -> None:
    add_attempt(FAILED)
    add_attempt(LOST)
    text = page(console).content.decode()
    links = {unescape(link) for link in re.findall(r'href="(/admin/jobs/[^"]+)"', text)}
    failed = [link for link in links if "ended_since" in link]
    assert len(failed) == 2  # of all kinds, and of the one
    for link in links:
        assert console.get(link).status_code == 200
    for link in failed:
        assert len(console.get(link).context["cl"].result_list) == 2


def test_it_costs_the_same_for_few_jobs_and_for_many(console: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            page(console, "30d")
        return len(queries)

    page(console)
    add_attempt(FAILED)
    JobFactory.create()
    few = cost()
    for n in range(10):
        add_attempt(LOST, timedelta(days=n), kind=f"test.kind{n}")
        JobFactory.create()
    assert cost() == few


# --- What needs somebody ---


def test_a_queue_that_stands_still_needs_somebody(console: Client) -> None:
    JobFactory.create()
    (told,) = [item for item in attention(console).items() if "none runs" in item[0]]
    assert told[0].startswith("Jobs wait and none runs: the oldest one for 6")
    assert told[1] == "danger"
    JobFactory.create(running=True)
    now = timezone.now()
    WorkerBeat.objects.create(name="here", machine="host", slots=2, started_at=now, seen_at=now)
    assert not [text for text in attention(console) if "none runs" in text]


def test_failed_jobs_and_paused_kinds_are_told(console: Client) -> None:
    add_attempt(FAILED)
    PausedKind.objects.create(kind=KIND)
    told = attention(console)
    assert told["1 job failed."] == "warning"
    assert told["1 kind of jobs is paused."] == "info"
