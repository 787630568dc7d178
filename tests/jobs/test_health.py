"""Whether the queue moves: /readyz says so, and what it costs to ask."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.base import uptime
from jobs.backlog import due_jobs
from jobs.enums import JobStatus
from jobs.health import check_queue, get_queue, live_leases
from jobs.models import Job, PausedKind, WorkerBeat
from tests.jobs.factories import JobFactory
from tests.plans import analyze, assert_uses_index

pytestmark = [pytest.mark.django_db, pytest.mark.both]

MANY = 1500


@pytest.fixture(autouse=True)
def long_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uptime, "_since", uptime._since - 3600)


def due_for(seconds: float, **values: Any) -> Job:
    job = JobFactory.create(**values)
    since = Now() - timedelta(seconds=seconds)
    Job.objects.filter(pk=job.pk).update(next_attempt_at=since)
    return job


def add_worker(name: str = "here", *, seen_ago: float = 0, slots: int = 2) -> None:
    seen = Now() - timedelta(seconds=seen_ago)
    WorkerBeat.objects.create(name=name, machine="host", slots=slots, started_at=seen, seen_at=seen)


def test_nothing_due_and_no_worker_is_no_failure() -> None:
    assert check_queue() == "ok (no workers, nothing due)"


def test_it_tells_the_workers_that_live() -> None:
    add_worker()
    add_worker("gone", seen_ago=21)
    assert check_queue() == "ok (1 worker, nothing due)"
    add_worker("there", seen_ago=15, slots=3)
    assert check_queue() == "ok (2 workers, nothing due)"
    assert get_queue().slots == 5


def test_a_job_that_has_waited_for_a_short_time_only_is_no_failure() -> None:
    due_for(20)
    assert check_queue().startswith("ok (no workers, the oldest due job waits for 2")


@pytest.mark.parametrize("workers", [0, 1])
def test_jobs_that_wait_and_nobody_runs_any_is_a_stall(workers: int, client: Client) -> None:
    """With workers that say they live, too: they don't work."""
    for n in range(workers):
        add_worker(str(n))
    due_for(95)
    due_for(3)
    assert check_queue().startswith(f"stalled ({workers or 'no'} worker")
    assert "the oldest due job waits for 9" in check_queue()
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["checks"]["jobs"].startswith("stalled (")


def test_as_long_as_one_runs_the_others_wait_their_turn() -> None:
    due_for(95)
    running = JobFactory.create(running=True)
    assert check_queue().startswith("stalled (no workers")  # whose lease it is, nobody keeps
    told = {"machine": "desk", "slots": 2, "started_at": Now(), "seen_at": Now()}
    WorkerBeat.objects.create(name="desk:1", **told)
    assert check_queue().startswith("ok (")
    passed = Now() - timedelta(seconds=1)
    Job.objects.filter(pk=running.pk).update(lease_expires_at=passed)
    assert check_queue().startswith("stalled (")


def test_a_process_that_has_just_begun_is_ready_with_a_nights_backlog(
    monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    due_for(30_000)
    monkeypatch.setattr(uptime, "_since", time.monotonic() - 29)
    assert client.get("/readyz").status_code == 200
    monkeypatch.setattr(uptime, "_since", time.monotonic() - 31)
    assert client.get("/readyz").status_code == 503


def test_what_an_operator_lets_rest_may_wait() -> None:
    job = due_for(95)
    PausedKind.objects.create(kind=job.kind)
    assert check_queue() == "ok (no workers, nothing due)"


def test_what_waits_for_a_later_time_is_not_due() -> None:
    JobFactory.create(future=True)
    assert get_queue().age_seconds is None


def test_asking_costs_a_few_small_queries() -> None:
    due_for(95)
    with CaptureQueriesContext(connection) as queries:
        get_queue()
    assert len(queries) == 4


def test_asking_looks_at_the_ends_of_indexes() -> None:
    Job.objects.bulk_create(
        JobFactory.build(**{status: True})
        for status in ("completed", "future")
        for _ in range(MANY)
    )
    due_for(95)
    JobFactory.create(running=True)
    assert Job.objects.filter(status=JobStatus.COMPLETED).count() == MANY
    analyze(Job)
    # What rests is a handful, and is read whole.
    plan = due_jobs().order_by("next_attempt_at")[:1].explain()
    assert "job_due" in plan
    assert "Seq Scan on jobs_job " not in plan
    assert "SCAN jobs_job" not in plan
    assert_uses_index(live_leases()[:1], "job_leased")


def test_a_forked_process_begins_anew() -> None:
    before = uptime.uptime_seconds()
    uptime._begin()
    assert uptime.uptime_seconds() < before
