"""Which kinds there are, and the runner that ships for other apps' tests."""

import pytest

from jobs import registry
from jobs.enums import JobStatus
from jobs.errors import UnknownKind
from jobs.handlers import Handler, JobCall
from jobs.models import Job
from jobs.registry import MAX_HARD_LIMIT_SECONDS, AnyHandler
from jobs.services import enqueue
from jobs.testing import MOST_ROUNDS, make_due, registered, run_due_jobs
from tests.jobs.factories import JobFactory, make_job
from tests.jobs.handlers import KIND, SLOW_KIND, Note, Probe, Script, effects_of
from tests.jobs.steps import attempts_of, row_of

S = JobStatus


def handler_of(kind: str, hard_limit_seconds: float = 60.0) -> type[AnyHandler]:
    values = {"kind": kind, "hard_limit_seconds": hard_limit_seconds}
    return type("Made", (Handler,), values)


def test_a_kind_that_is_registered_is_found() -> None:
    with registered(Probe):
        assert isinstance(registry.get_handler(KIND), Probe)
        assert registry.find_handler(KIND) is registry.get_handler(KIND)
        assert KIND in registry.list_kinds()
    assert registry.find_handler(KIND) is None
    assert KIND not in registry.list_kinds()


def test_a_kind_that_is_not_known_is_refused_with_those_that_are(script: Script) -> None:
    with pytest.raises(UnknownKind, match=SLOW_KIND):
        registry.get_handler("test.nothing")


def test_kinds_are_listed_in_order(script: Script) -> None:
    kinds = registry.list_kinds()
    assert kinds == sorted(kinds)
    assert [handler.kind for handler in registry.list_handlers()] == kinds


def test_two_handlers_for_one_kind_are_an_error_at_start_up() -> None:
    with registered(Probe):
        with pytest.raises(ValueError, match="two handlers"):
            registry.register(handler_of(KIND))
        assert isinstance(registry.get_handler(KIND), Probe)
        registry.register(Probe)  # a module that is loaded twice


@pytest.mark.parametrize(
    "seconds", [0, -1, MAX_HARD_LIMIT_SECONDS + 0.1, float("inf"), float("nan")]
)
def test_a_limit_that_django_q2_would_cut_short_is_an_error_at_start_up(seconds: float) -> None:
    with pytest.raises(ValueError, match="hard limit"):
        registry.register(handler_of("test.made", seconds))
    assert registry.find_handler("test.made") is None


@pytest.mark.parametrize("seconds", [0.1, MAX_HARD_LIMIT_SECONDS])
def test_other_limits_are_fine(seconds: float) -> None:
    with registered(handler_of("test.made", seconds)):
        assert registry.get_handler("test.made").hard_limit_seconds == seconds


def test_a_kind_that_is_taken_leaves_the_others_as_they_were() -> None:
    with registered(Probe):
        with (
            pytest.raises(ValueError, match="two handlers"),
            registered(handler_of("test.made"), handler_of(KIND)),
        ):
            pass
        assert registry.find_handler("test.made") is None
        assert isinstance(registry.find_handler(KIND), Probe)


# --- jobs.testing ---


@pytest.mark.django_db
def test_due_jobs_run_here_and_now_with_those_that_they_make(
    script: Script, ticks: list[str]
) -> None:
    def apply(call: JobCall[Note], _prepared: object) -> int:
        if call.payload.count:
            enqueue(KIND, {"count": call.payload.count - 1}, actor=None)
        return call.payload.count

    script.apply = apply
    JobFactory.create(payload={"count": 2})
    later = JobFactory.create(future=True)
    assert [job.result for job in run_due_jobs()] == [2, 1, 0]
    make_due(later)
    assert [job.status for job in run_due_jobs()] == [S.COMPLETED] * 2


@pytest.mark.django_db
def test_failures_are_those_of_a_worker(script: Script) -> None:
    job = JobFactory.create(max_attempts=2)
    script.fail_with(ValueError())
    assert [ran.status for ran in run_due_jobs()] == [S.RETRYING]
    assert run_due_jobs() == []
    make_due(job)
    assert [ran.status for ran in run_due_jobs()] == [S.FAILED]
    assert (len(attempts_of(job)), effects_of(job)) == (2, 0)


@pytest.mark.django_db
def test_jobs_that_make_jobs_without_end_end_the_test(script: Script, ticks: list[str]) -> None:
    def apply(_call: JobCall[Note], _prepared: object) -> None:
        enqueue(KIND, actor=None)

    script.apply = apply
    JobFactory.create()
    with pytest.raises(AssertionError, match=str(MOST_ROUNDS)):
        run_due_jobs()


@pytest.mark.django_db
@pytest.mark.parametrize("status", S)
def test_only_what_waits_can_be_made_due(status: JobStatus) -> None:
    job = make_job(status)
    before = row_of(job)
    make_due(job)
    waits = status in {S.SCHEDULED, S.RETRYING}
    assert (row_of(job) != before) == waits
    assert Job.objects.get().status == status
