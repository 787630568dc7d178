"""Bugs to have on purpose: a harness that finds none of them proves nothing."""

from collections.abc import Callable
from typing import Any

from config.base import updates
from jobs import fence
from jobs.attempts import Start
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt
from jobs.services import recovery, running
from jobs.worker import ticking
from tests.chaos.app.job_handlers import Brittle, Chaos


def commit(name: str) -> None:
    if name:
        SABOTAGES[name]()


def _break_fence() -> None:
    """A worker who lost its job writes all the same.

    Without the guards behind it, too: its attempt stands there as lost, once and for all, and a
    job that waits for its next attempt can't be completed.
    """
    right, right_write, right_ended = updates.change_row, Start.write, Start.ended

    def careless(
        model: Any, values: dict[str, Any], where: Any, *, adding: Any = (), **options: Any
    ) -> Any:
        if "finished_at" in values:
            values = {**values, "next_attempt_at": None}
        added = [row for row in adding if row]
        return right(model, values, {"id": where["id"]}, adding=added, **options)

    def write_if_new(start: Start, outcome: AttemptOutcome, **told: str) -> None:
        if not JobAttempt.objects.filter(job=start.job_id, number=start.number).exists():
            right_write(start, outcome, **told)

    def ended_if_new(start: Start, outcome: AttemptOutcome, **told: str) -> Any:
        completes = outcome == AttemptOutcome.COMPLETED
        return None if completes else right_ended(start, outcome, **told)

    vars(fence)["change_row"] = careless
    setattr(Start, "ended", ended_if_new)  # noqa: B010 (a method, replaced)
    setattr(Start, "write", write_if_new)  # noqa: B010 (a method, replaced)


def _never_recover() -> None:
    vars(ticking)["recover_lost_jobs"] = lambda: 0


def _recover_early() -> None:
    """What a living worker has is taken away."""
    right = fence.change

    def hasty(job: Job, values: dict[str, Any], **options: Any) -> None:
        right(job, values, **{**options, "expired": False})

    running_jobs = Job.objects.filter(status=JobStatus.RUNNING).select_related("owner")
    vars(recovery).update(change=hasty, lost_jobs=running_jobs.all)


def _ask_nobody() -> None:
    """A permission taken back before the start changes nothing."""
    for handler in (Chaos, Brittle):
        setattr(handler, "check_permission", lambda *_: None)  # noqa: B010 (a method, replaced)


def _count_nothing() -> None:
    """Attempts stay as they are."""
    vars(running)["begin"] = lambda job: fence.change(job, {"started_at": updates.NOW})


SABOTAGES: dict[str, Callable[[], None]] = {
    "fence": _break_fence,
    "never-recover": _never_recover,
    "recover-early": _recover_early,
    "ask-nobody": _ask_nobody,
    "count-nothing": _count_nothing,
}
