"""Which change of status is made by whom; every other one is refused."""

import ast
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.base.errors import Conflict, LeaseLost
from config.base.models import User
from jobs.claiming import claim_due_jobs
from jobs.enums import FINISHED, TRANSITIONS, WAITING, JobStatus
from jobs.errors import HandlerFailed, IllegalTransition, PermanentFailure
from jobs.fence import change, fenced
from jobs.models import Job
from jobs.services import (
    cancel_job,
    fail_attempt,
    recover_lost_jobs,
    release_job,
    retry_job,
    run_job_now,
)
from jobs.services.decisions import _save
from tests.jobs.factories import make_job
from tests.jobs.handlers import Script
from tests.jobs.steps import actor_of, complete, expire, row_of, stored

ROOT = Path(__file__).resolve().parents[2]
S = JobStatus

type Act = Callable[[Job, User], object]


def _recover(job: Job, _user: User) -> None:
    expire(job)
    recover_lost_jobs()


ACTS: dict[str, tuple[Act, dict[JobStatus, JobStatus]]] = {
    "claim": (
        lambda _job, _user: claim_due_jobs("worker", limit=20),
        {S.SCHEDULED: S.RUNNING, S.RETRYING: S.RUNNING},
    ),
    "complete": (lambda job, _user: complete(job), {S.RUNNING: S.COMPLETED}),
    "fail": (lambda job, _user: fail_attempt(job, HandlerFailed()), {S.RUNNING: S.RETRYING}),
    "fail for good": (
        lambda job, _user: fail_attempt(job, PermanentFailure()),
        {S.RUNNING: S.FAILED},
    ),
    "release": (lambda job, _user: release_job(job), {S.RUNNING: S.RETRYING}),
    "recover": (_recover, {S.RUNNING: S.RETRYING}),
    "cancel": (
        lambda job, user: cancel_job(actor_of(user), job.pk),
        {S.SCHEDULED: S.CANCELLED, S.RETRYING: S.CANCELLED},
    ),
    "retry": (lambda job, user: retry_job(actor_of(user), job.pk), {S.FAILED: S.RETRYING}),
    "run now": (lambda job, user: run_job_now(actor_of(user), job.pk), {}),
}


@pytest.mark.both
@pytest.mark.django_db
@pytest.mark.parametrize("status", S)
@pytest.mark.parametrize("name", ACTS)
def test_each_act_makes_its_own_changes_of_status_and_no_other(
    name: str, status: JobStatus, script: Script, ticks: list[str], operator: User
) -> None:
    act, makes = ACTS[name]
    job = make_job(status)
    revision = job.revision
    with suppress(Conflict, LeaseLost):
        act(job, operator)
    after = stored(job)
    assert after.status == makes.get(status, status)
    assert (after.revision > revision) == (
        status in makes or (name == "run now" and status in WAITING)
    )


def test_every_allowed_change_has_its_act_and_every_act_is_allowed() -> None:
    made = {change for _, makes in ACTS.values() for change in makes.items()}
    allowed = {(source, target) for source in S for target in TRANSITIONS[source]}
    assert made == allowed


@pytest.mark.both
@pytest.mark.django_db
def test_no_other_change_is_made_even_if_it_is_asked_for(script: Script) -> None:
    done = make_job(S.COMPLETED)
    with pytest.raises(IllegalTransition):
        _save(done, status=S.RETRYING)
    running = make_job(S.RUNNING)
    before = row_of(running)
    for status in set(S) - TRANSITIONS[S.RUNNING]:
        with pytest.raises(IllegalTransition), fenced(running):
            change(running, {"status": status})
    assert row_of(running) == before


def test_each_status_waits_runs_or_has_ended() -> None:
    assert {*WAITING, S.RUNNING, *FINISHED} == set(S)
    assert len(WAITING) + 1 + len(FINISHED) == len(S)


def test_what_was_completed_or_cancelled_stays_so() -> None:
    assert TRANSITIONS[S.COMPLETED] == TRANSITIONS[S.CANCELLED] == frozenset()


# --- Nobody else changes a status ---

WRITERS = ("jobs/services/", "jobs/claiming.py", "jobs/fence.py", "jobs/migrations/")
SOURCES = ("agents", "config", "documents", "jobs", "scripts", "skills", "tools")
CALLS = frozenset({"update", "bulk_update", "update_or_create", "save", "change", "_save"})


def status_writes_in(source: str) -> Iterator[int]:
    """Lines that set a `status` to one of a job's: by keyword, key, attribute or SQL."""
    if "JobStatus" not in source and "jobs_job" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if _is_write(node):
            yield getattr(node, "lineno", 0)


def _is_write(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(isinstance(t, ast.Attribute) and t.attr == "status" for t in targets)
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)) if name in CALLS:
            return _names_status(node)
        case ast.Constant(value=str(text)):
            return "UPDATE" in text and "jobs_job" in text
    return False


def _names_status(call: ast.Call) -> bool:
    if any(keyword.arg == "status" for keyword in call.keywords):
        return True
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    inside = [node for argument in arguments for node in ast.walk(argument)]
    return any(isinstance(node, ast.Constant) and node.value == "status" for node in inside)


def test_only_the_services_and_the_claim_change_a_status() -> None:
    found = {}
    for folder in SOURCES:
        for path in (ROOT / folder).rglob("*.py"):
            file = path.relative_to(ROOT).as_posix()
            lines = list(status_writes_in(path.read_text()))
            if lines and not file.startswith(WRITERS):
                found[file] = lines
    assert found == {}


@pytest.mark.parametrize(
    "line",
    [
        "job.status = JobStatus.FAILED",
        "Job.objects.filter(pk=1).update(status=JobStatus.FAILED)",
        "change(job, {'status': JobStatus.FAILED})",
        "Job.objects.update_or_create(pk=1, defaults={'status': JobStatus.FAILED})",
        "Job.objects.bulk_update(jobs, ['status']), JobStatus",
        "cursor.execute('UPDATE jobs_job SET status = 1'), JobStatus",
    ],
)
def test_it_sees_changes_of_a_status(line: str) -> None:
    assert list(status_writes_in(line)) != []


@pytest.mark.parametrize(
    "line",
    [
        "Job.objects.filter(status=JobStatus.FAILED)",
        "is_failed = job.status == JobStatus.FAILED",
        "run.status = RunStatus.FAILED",
    ],
)
def test_it_does_not_take_reads_for_changes(line: str) -> None:
    assert list(status_writes_in(line)) == []
