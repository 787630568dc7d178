"""/metrics: for operators, as Prometheus reads it, and what it costs to ask."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config.base.models import Scope, User
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt, PausedKind, WorkerBeat
from jobs.selectors import with_status
from tests.clients import token_of
from tests.jobs.factories import JobFactory
from tests.jobs.handlers import KIND
from tests.jobs.steps import expire
from tests.plans import analyze, assert_uses_index

pytestmark = [pytest.mark.django_db, pytest.mark.both]

URL = "/metrics"


def ask(client: Client, token: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else None
    return client.get(URL, headers=headers)


def figures(client: Client) -> dict[str, float]:
    """`name{label,…}` to value."""
    response = ask(client)
    assert response.status_code == 200
    return {
        f"{one.name}{{{','.join(one.labels.values())}}}" if one.labels else one.name: one.value
        for family in text_string_to_metric_families(response.content.decode())
        for one in family.samples
    }


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


# --- Who ---


def test_nobody_gets_it(client: Client) -> None:
    response = ask(client)
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert response["Content-Type"].startswith("text/plain")
    refused = ask(client, "gh_nonsense")
    assert refused.status_code == 401
    assert refused.content == b"The token is not valid, or no longer.\n"


def test_it_is_for_operators(client: Client, alice: User) -> None:
    assert ask(Client(), token_of(alice)).status_code == 403
    client.force_login(alice)
    assert ask(client).status_code == 403


def test_staff_who_may_not_see_jobs_get_nothing(client: Client) -> None:
    client.force_login(User.objects.create(username="clerk", is_staff=True))
    assert ask(client).status_code == 403


def test_a_token_needs_the_scope_whatever_the_session_says(console: Client, operator: User) -> None:
    others = [scope for scope in Scope.values if scope != Scope.JOBS]
    refused = ask(console, token_of(operator, others))
    assert refused.status_code == 403
    assert refused.content == b"This token lacks the scope jobs.\n"
    assert ask(Client(), token_of(operator, [Scope.JOBS])).status_code == 200
    assert ask(console, "gh_nonsense").status_code == 401


# --- What ---


def test_an_empty_queue_is_told_in_noughts(console: Client) -> None:
    told = figures(console)
    assert told["gatehouse_jobs{scheduled}"] == 0
    assert told["gatehouse_jobs_oldest_due_seconds"] == 0
    assert told["gatehouse_jobs_workers_alive"] == 0
    assert told["gatehouse_drafts_waiting"] == 0
    assert told["gatehouse_runs_unfinished"] == 0


def test_it_tells_how_the_queue_is(console: Client) -> None:
    JobFactory.create_batch(2)
    JobFactory.create(future=True)
    JobFactory.create(retrying=True)
    JobFactory.create(running=True)
    expire(JobFactory.create(running=True))
    JobFactory.create(completed=True)
    now = timezone.now()
    WorkerBeat.objects.create(name="here", machine="h", slots=4, started_at=now, seen_at=now)
    told = figures(console)
    assert told["gatehouse_jobs{scheduled}"] == 3
    assert told["gatehouse_jobs{retrying}"] == 1
    assert told["gatehouse_jobs{running}"] == 2
    assert told["gatehouse_jobs_due"] == 3
    assert 60 <= told["gatehouse_jobs_oldest_due_seconds"] < 90
    assert told["gatehouse_jobs_leases_expired"] == 1
    assert told["gatehouse_jobs_workers_alive"] == 1
    assert told["gatehouse_jobs_slots"] == 4
    assert told["gatehouse_jobs_stalled"] == 0


def test_what_rests_is_not_due(console: Client) -> None:
    JobFactory.create()
    PausedKind.objects.create(kind=KIND)
    told = figures(console)
    assert told["gatehouse_jobs_due"] == 0
    assert told["gatehouse_jobs_kinds_paused"] == 1


def test_it_tells_how_attempts_of_the_last_hour_ended(console: Client) -> None:
    now = timezone.now()
    for number, outcome in enumerate(AttemptOutcome):
        JobAttempt.objects.create(
            job=JobFactory.create(failed=True),
            number=number,
            outcome=outcome,
            started_at=now,
            finished_at=now - timedelta(hours=2) if number == 0 else now,
        )
    told = figures(console)
    assert f"gatehouse_jobs_attempts_last_hour{{{KIND},completed}}" not in told
    assert told[f"gatehouse_jobs_attempts_last_hour{{{KIND},failed}}"] == 1
    assert told[f"gatehouse_jobs_attempts_last_hour{{{KIND},lost}}"] == 1


# --- What it costs ---


def test_it_costs_the_same_for_few_jobs_and_for_many(console: Client) -> None:
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            figures(console)
        return len(queries)

    cost()
    JobFactory.create()
    few = cost()
    JobFactory.create_batch(5)
    JobFactory.create_batch(5, running=True)
    assert cost() == few  # a due job costs a look at the clock
    assert few <= 16


def test_what_goes_on_is_counted_by_partial_indexes() -> None:
    Job.objects.bulk_create(JobFactory.build(completed=True) for _ in range(1500))
    JobFactory.create(running=True)
    JobFactory.create(retrying=True)
    analyze(Job)
    for status, index in ((JobStatus.RETRYING, "job_due"), (JobStatus.RUNNING, "job_leased")):
        assert_uses_index(Job.objects.filter(with_status(status)), index)
