"""/api/jobs/: whose jobs one sees, and what one decides about them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from config.base.ids import uuid7
from config.base.models import Scope, User
from jobs.enums import AttemptOutcome, CancelReason, JobStatus
from jobs.errors import WorkerLost
from jobs.models import Job, JobAttempt, JobSeries
from tests.jobs.api import JOBS, kinds
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.handlers import KIND, SLOW_KIND
from tests.jobs.steps import events_of
from tests.plans import analyze
from tests.tools.api import Api, error_of

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ENDPOINTS = [
    ("GET", ""),
    ("POST", ""),
    ("GET", "kinds/"),
    ("GET", "series/"),
    ("GET", "{id}/"),
    ("GET", "{id}/attempts/"),
    ("POST", "{id}/cancel/"),
    ("POST", "{id}/retry/"),
    ("POST", "{id}/run-now/"),
]
OF_ONE = [(method, path) for method, path in ENDPOINTS if "{id}" in path]


@pytest.fixture(autouse=True)
def known_kinds(db: None) -> Any:
    with kinds() as script:
        yield script


def path_of(job: Job, rest: str = "") -> str:
    return f"{JOBS}{job.pk}/{rest}"


def staff_with(*codenames: str) -> User:
    user = User.objects.create(username="auditor", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return User.objects.get(pk=user.pk)


def ids(answer: Any) -> list[str]:
    status, body = answer
    assert status == 200
    return [row["id"] for row in body["results"]]


# --- Who ---


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_one_signs_in_and_has_the_scope(alice: User, method: str, path: str) -> None:
    path = JOBS + path.format(id=make_job(owner=alice).pk)
    others = sorted(set(Scope.values) - {Scope.JOBS})
    assert error_of(Api()(method, path))[:2] == (401, "not_authenticated")
    answer = Api(alice, others)(method, path)
    assert error_of(answer)[:2] == (403, "scope_missing")
    assert answer[1]["errors"][0]["detail"] == "This token lacks the scope jobs."
    assert Api(alice, [Scope.JOBS])(method, path)[0] in {200, 400, 409}


@pytest.mark.parametrize(("method", "path"), OF_ONE)
def test_what_is_somebody_elses_is_not_found(
    alice: User, bob: User, method: str, path: str
) -> None:
    for job in (make_job(owner=alice), make_job(), make_job(JobStatus.FAILED, owner=alice)):
        answer = Api(bob)(method, JOBS + path.format(id=job.pk))
        assert error_of(answer)[:2] == (404, "not_found")


@pytest.mark.parametrize(("method", "path"), OF_ONE)
def test_what_does_not_exist_is_not_found(operator: User, method: str, path: str) -> None:
    assert Api(operator)(method, JOBS + path.format(id=uuid7()))[0] == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", ""),
        ("DELETE", ""),
        ("DELETE", "{id}/"),
        ("PATCH", "{id}/"),
        ("GET", "{id}/cancel/"),
        ("GET", "{id}/retry/"),
        ("GET", "{id}/run-now/"),
        ("POST", "{id}/attempts/"),
    ],
)
def test_other_methods_are_refused(alice: User, method: str, path: str) -> None:
    assert Api(alice)(method, JOBS + path.format(id=make_job(owner=alice).pk))[0] == 405


def test_an_operator_who_may_look_may_not_touch(alice: User) -> None:
    looking = Api(staff_with("view_job"))
    job = make_job(owner=alice)
    assert looking("GET", path_of(job))[0] == 200
    answer = looking("POST", path_of(job, "cancel/"))
    assert error_of(answer)[:2] == (403, "permission_denied")
    job.refresh_from_db()
    assert job.status == JobStatus.SCHEDULED


def test_staff_without_the_permission_see_their_own_only(alice: User) -> None:
    make_job(owner=alice)
    assert ids(Api(staff_with())("GET", JOBS)) == []


# --- One's own, everybody's ---


def test_one_sees_ones_own_newest_first(alice: User, bob: User) -> None:
    first, second = make_job(owner=alice), make_job(JobStatus.COMPLETED, owner=alice)
    make_job(owner=bob)
    make_job()
    assert ids(Api(alice)("GET", JOBS)) == [str(second.pk), str(first.pk)]


def test_an_operator_sees_everybodys_and_the_products(operator: User, alice: User) -> None:
    jobs = [make_job(owner=alice), make_job()]
    assert ids(Api(operator)("GET", JOBS)) == [str(job.pk) for job in reversed(jobs)]


def test_a_row_tells_how_the_job_is(alice: User) -> None:
    job = make_job(JobStatus.FAILED, owner=alice, result=None)
    Job.objects.filter(pk=job.pk).update(last_error_code="x", last_error_message="Because.")
    status, row = Api(alice)("GET", path_of(job))
    assert status == 200
    assert row["payload"] == {"text": "hello", "count": 1}
    assert (row["status"], row["attempts"], row["max_attempts"]) == ("failed", 3, 3)
    assert (row["error_code"], row["error_message"]) == ("x", "Because.")
    assert row["next_attempt_at"] is None
    assert row["owner"] == "alice"
    assert Api(alice)("GET", JOBS)[1]["results"] == [row]


def test_an_error_of_ours_is_read_in_ones_own_language(alice: User) -> None:
    job = make_job(JobStatus.FAILED, owner=alice)
    stored = str(WorkerLost.default_message)
    Job.objects.filter(pk=job.pk).update(last_error_code=WorkerLost.code, last_error_message=stored)
    assert Api(alice)("GET", path_of(job))[1]["error_message"] == stored
    alice.language = "zh-hans"
    alice.save()
    row = Api(alice)("GET", path_of(job))[1]
    with translation.override("zh-hans"):
        assert row["error_message"] == str(WorkerLost.default_message) != stored


def test_a_job_that_its_series_cancelled_says_why(alice: User) -> None:
    job = make_job(JobStatus.CANCELLED, owner=alice)
    Job.objects.filter(pk=job.pk).update(last_error_code=CancelReason.SERIES_ENDED)
    row = Api(alice)("GET", path_of(job))[1]
    assert (row["error_code"], row["error_message"]) == ("series_ended", "Its series was ended.")


def test_what_a_job_is_about_is_its_owners(operator: User, alice: User) -> None:
    hers = make_job(JobStatus.COMPLETED, owner=alice, result={"a": 1})
    ours = make_job(JobStatus.COMPLETED, result={"a": 1})
    seen = Api(operator)("GET", path_of(hers))[1]
    assert (seen["payload"], seen["result"]) == (None, None)
    seen = Api(operator)("GET", path_of(ours))[1]
    assert (seen["payload"]["text"], seen["result"], seen["owner"]) == ("hello", {"a": 1}, None)
    assert Api(alice)("GET", path_of(hers))[1]["result"] == {"a": 1}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status=failed", ["failed"]),
        ("status=scheduled", ["waiting", "slow"]),
        ("status=running", ["running"]),
        (f"kind={SLOW_KIND}", ["slow"]),
        ("kind=none", []),
        ("kind=%00", []),
        ("owner=alice", ["waiting", "failed", "running"]),
        ("owner=bob&status=scheduled", ["slow"]),
        ("owner=nobody", []),
        ("page_size=1&page=2&ordering=created_at", ["failed"]),
    ],
)
def test_the_list_is_filtered_and_paged(
    operator: User, alice: User, bob: User, query: str, found: list[str]
) -> None:
    jobs = {
        "waiting": make_job(owner=alice),
        "failed": make_job(JobStatus.FAILED, owner=alice),
        "running": make_job(JobStatus.RUNNING, owner=alice),
        "slow": make_job(owner=bob, kind=SLOW_KIND),
    }
    names = {str(job.pk): name for name, job in jobs.items()}
    answer = ids(Api(operator)("GET", f"{JOBS}?{query}"))
    assert {names[one] for one in answer} == set(found)


def test_jobs_are_found_by_their_series_and_their_owners_id(operator: User, alice: User) -> None:
    series = JobSeries.objects.create(owner=alice, kind=KIND, cron="0 8 * * *")
    planned = make_job(owner=alice, series=series, planned_at=timezone.now())
    make_job()
    for query in (f"series={series.pk}", f"owner={alice.pk}"):
        assert ids(Api(operator)("GET", f"{JOBS}?{query}")) == [str(planned.pk)]
    assert Api(operator)("GET", path_of(planned))[1]["series"] == str(series.pk)


@pytest.mark.parametrize("query", ["status=lost", "series=x", "ordering=payload", "page=0"])
def test_a_filter_that_does_not_fit_is_refused(alice: User, query: str) -> None:
    assert Api(alice)("GET", f"{JOBS}?{query}")[0] in {400, 404}


@pytest.mark.parametrize("who", ["alice", "operator"])
def test_a_list_costs_the_same_for_one_job_and_for_many(
    request: pytest.FixtureRequest, alice: User, who: str
) -> None:
    api = Api(request.getfixturevalue(who))

    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert api("GET", JOBS)[0] == 200
        return len(queries)

    make_job(owner=alice)
    cost()
    few = cost()
    series = JobSeries.objects.create(owner=alice, kind=KIND, cron="0 8 * * *")
    for n in range(5):
        make_job(owner=alice, series=series, planned_at=timezone.now() + timedelta(days=n))
    assert cost() == few <= 6


def test_ones_own_are_read_by_an_index(alice: User, bob: User) -> None:
    Job.objects.bulk_create(JobFactory.build(completed=True, owner=bob) for _ in range(1500))
    make_job(owner=alice)
    analyze(Job)
    mine = Job.objects.for_user(alice).order_by("-created_at", "-pk")[:20]
    assert "job_newest_of_owner" in mine.explain()
    assert "job_newest" in Job.objects.order_by("-created_at", "-pk")[:20].explain()


# --- What is decided ---


@pytest.mark.parametrize("who", ["alice", "operator"])
def test_a_job_that_waits_is_cancelled(
    request: pytest.FixtureRequest, alice: User, who: str
) -> None:
    job = make_job(owner=alice)
    status, row = Api(request.getfixturevalue(who))("POST", path_of(job, "cancel/"))
    assert (status, row["status"], row["next_attempt_at"]) == (200, "cancelled", None)
    assert row["finished_at"] is not None
    assert events_of(job) == ["job.cancelled"]


def test_a_failed_job_is_tried_again(alice: User) -> None:
    job = make_job(JobStatus.FAILED, owner=alice)
    status, row = Api(alice)("POST", path_of(job, "retry/"))
    assert (status, row["status"], row["attempts"], row["max_attempts"]) == (200, "retrying", 3, 6)
    assert events_of(job) == ["job.retried"]


def test_a_job_of_later_runs_now(alice: User) -> None:
    job = JobFactory.create(future=True, owner=alice)
    status, row = Api(alice)("POST", path_of(job, "run-now/"))
    assert (status, row["status"]) == (200, "scheduled")
    assert row["next_attempt_at"] < row["scheduled_at"]
    assert events_of(job) == ["job.hurried"]


@pytest.mark.parametrize(
    ("act", "job_status", "code"),
    [
        ("cancel/", JobStatus.RUNNING, "job_running"),
        ("cancel/", JobStatus.COMPLETED, "job_finished"),
        ("cancel/", JobStatus.CANCELLED, "job_finished"),
        ("run-now/", JobStatus.RUNNING, "job_running"),
        ("run-now/", JobStatus.FAILED, "job_finished"),
        ("retry/", JobStatus.SCHEDULED, "job_not_failed"),
        ("retry/", JobStatus.RUNNING, "job_not_failed"),
        ("retry/", JobStatus.COMPLETED, "job_not_failed"),
    ],
)
def test_too_late_is_a_conflict_that_says_why(
    alice: User, act: str, job_status: JobStatus, code: str
) -> None:
    job = make_job(job_status, owner=alice)
    assert error_of(Api(alice)("POST", path_of(job, act)))[:2] == (409, code)
    assert events_of(job) == []


# --- Attempts ---


def test_attempts_tell_how_each_ended_and_which_is_under_way(alice: User, operator: User) -> None:
    job = make_job(JobStatus.RUNNING, owner=alice, attempts=2)
    began = timezone.now() - timedelta(minutes=5)
    JobAttempt.objects.create(
        job=job,
        number=1,
        outcome=AttemptOutcome.FAILED,
        started_at=began,
        finished_at=began + timedelta(seconds=1.25),
        worker="host:1",
        error_code="handler_failed",
        error_message="ValueError",
    )
    status, body = Api(alice)("GET", path_of(job, "attempts/"))
    assert (status, body["count"]) == (200, 2)
    first, second = body["results"]
    assert (first["number"], first["outcome"], first["duration_ms"]) == (1, "failed", 1250)
    assert (first["error_code"], first["worker"]) == ("handler_failed", None)
    assert (second["number"], second["outcome"], second["finished_at"]) == (2, "running", None)
    _status, body = Api(operator)("GET", path_of(job, "attempts/"))
    assert [row["worker"] for row in body["results"]] == ["host:1", "worker"]


def test_a_job_that_was_claimed_and_has_not_begun_has_no_attempt(alice: User) -> None:
    job = make_job(JobStatus.RUNNING, owner=alice, attempts=0, started_at=None)
    assert Api(alice)("GET", path_of(job, "attempts/"))[1]["results"] == []
