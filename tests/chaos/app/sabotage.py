"""Bugs to have on purpose: a harness that finds none of them proves nothing."""

from collections.abc import Callable
from typing import Any

from jobs import fence
from jobs.enums import JobStatus


def commit(name: str) -> None:
    if name:
        SABOTAGES[name]()


def _break_fence() -> None:
    """A worker who lost its job writes all the same."""
    right = fence._statement

    def careless(vendor: str, shape: Any, counted: bool, expired: bool) -> str:
        names = '"revision" = %s AND "status" = %s AND "lease_owner" = %s'
        ignored = "(%s IS NOT NULL OR %s IS NOT NULL OR %s IS NOT NULL)"
        if vendor == "postgresql":
            ignored = ignored.replace("%s", "%s::text")
        return right(vendor, shape, counted, expired).replace(names, ignored)

    fence._statement = careless  # type: ignore[assignment]  # cached, the other one


def _never_recover() -> None:
    from jobs.worker import ticking

    ticking.recover_lost_jobs = lambda: 0


def _recover_early() -> None:
    """What a living worker has is taken away."""
    from jobs.models import Job
    from jobs.services import recovery

    right = recovery.change

    def hasty(job: Any, values: dict[str, Any], **options: Any) -> None:
        right(job, values, **{**options, "expired": False})

    recovery.change = hasty
    recovery.lost_jobs = lambda: Job.objects.filter(status=JobStatus.RUNNING).select_related(
        "owner"
    )


def _ask_nobody() -> None:
    """A permission taken back before the start changes nothing."""
    from tests.chaos.app.job_handlers import Brittle, Chaos

    Chaos.check_permission = lambda *_: None  # type: ignore[method-assign]
    Brittle.check_permission = lambda *_: None  # type: ignore[method-assign]


def _count_nothing() -> None:
    """Attempts stay as they are."""
    from jobs.services import running

    right = running.change

    def forgetful(job: Any, values: dict[str, Any], *, counted: bool = False) -> None:
        right(job, values)

    running.change = forgetful


SABOTAGES: dict[str, Callable[[], None]] = {
    "fence": _break_fence,
    "never-recover": _never_recover,
    "recover-early": _recover_early,
    "ask-nobody": _ask_nobody,
    "count-nothing": _count_nothing,
}
