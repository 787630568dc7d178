"""For other apps' tests: run jobs here and now, in this thread, without any process.

The real services on the test's own database, so permissions, fences, retries and audit are those
of a worker.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.db.models.functions import Now

from config.base import leases
from jobs import registry
from jobs.claiming import MOST, claim_due_jobs
from jobs.models import Job
from jobs.registry import AnyHandler
from jobs.worker.execution import execute
from jobs.worker.hold import Hold

MOST_ROUNDS = 100  # a job that makes a job that makes a job …


def run_due_jobs() -> list[Job]:
    """Until nothing is due, those that these jobs make included; each as it is afterwards."""
    ran = list[Job]()
    for _ in range(MOST_ROUNDS):
        claimed = claim_due_jobs(leases.new_owner(), limit=MOST)
        if not claimed:
            return ran
        for job in claimed:
            execute(job, NoHold())
            ran.append(Job.objects.get(pk=job.pk))
    raise AssertionError(f"after {MOST_ROUNDS} rounds there were still jobs due")


def make_due(job: Job) -> None:
    """Its time has come: for those that wait for a later time, or for their next attempt."""
    Job.objects.waiting().filter(pk=job.pk).update(next_attempt_at=Now())


@contextmanager
def registered(*handlers: type[AnyHandler]) -> Iterator[None]:
    """These handlers are there for a while."""
    with ExitStack() as there:
        for handler in handlers:
            registry.register(handler)
            there.callback(registry.unregister, handler.kind)
        yield


class NoHold(Hold):
    """Nothing is renewed: a test is quicker than a lease."""

    def __init__(self) -> None:
        super().__init__([])
