"""Bugs to have on purpose: a harness that finds none of them proves nothing."""

from collections.abc import Callable
from typing import Any

from jobs import fence
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.services import recovery, running
from jobs.worker import ticking
from tests.chaos.app.job_handlers import Brittle, Chaos


def commit(name: str) -> None:
    if name:
        SABOTAGES[name]()


def _break_fence() -> None:
    """A worker who lost its job writes all the same."""
    right = fence._statement

    def careless(vendor: str, shape: Any, counted: bool, expired: bool) -> str:
        names = '"revision" = %s AND "status" = %s AND "lease_owner" = %s'
        given = "%s::text" if vendor == "postgresql" else "%s"
        ignored = " AND ".join([f"{given} IS NOT NULL"] * 3)
        return right(vendor, shape, counted, expired).replace(names, ignored)

    vars(fence)["_statement"] = careless


def _never_recover() -> None:
    vars(ticking)["recover_lost_jobs"] = lambda: 0


def _recover_early() -> None:
    """What a living worker has is taken away."""
    right = fence.change

    def hasty(job: Job, values: dict[str, Any], **options: bool) -> None:
        right(job, values, **{**options, "expired": False})

    running_jobs = Job.objects.filter(status=JobStatus.RUNNING).select_related("owner")
    vars(recovery).update(change=hasty, lost_jobs=running_jobs.all)


def _ask_nobody() -> None:
    """A permission taken back before the start changes nothing."""
    for handler in (Chaos, Brittle):
        setattr(handler, "check_permission", lambda *_: None)  # noqa: B010 (a method, replaced)


def _count_nothing() -> None:
    """Attempts stay as they are."""
    right = fence.change

    def forgetful(job: Job, values: dict[str, Any], *, counted: bool = False) -> None:
        right(job, values)

    vars(running)["change"] = forgetful


SABOTAGES: dict[str, Callable[[], None]] = {
    "fence": _break_fence,
    "never-recover": _never_recover,
    "recover-early": _recover_early,
    "ask-nobody": _ask_nobody,
    "count-nothing": _count_nothing,
}
