"""Whichever child of the workers' processes is killed, jobs are done again within a minute.

With the broker in the database and with Redis. What django-q2 makes of such kills: docs/adr/0011.
"""

import signal
import time
from collections.abc import Iterator, Sequence

import pytest

from bench.queues.servers import throwaway_redis
from config.base.models import NamedLease
from jobs.enums import JobStatus
from jobs.models import Job
from jobs.registry import register, unregister
from jobs.services import enqueue
from tests.chaos.app import roles
from tests.chaos.app.job_handlers import Ping
from tests.chaos.machines import Machine
from tests.processes.harness import Product
from tests.processes.waiting import until

BACK_SECONDS = 60.0
QUICK = {
    "DJANGO_SETTINGS_MODULE": "tests.chaos.settings",
    "GATEHOUSE_JOB_LEASE_SECONDS": "2",
    "GATEHOUSE_JOB_RETRY_SECONDS": "0.5",
}
EACH = (
    # The one that has been there longest, then the next: where workers wait inside a lock of their
    # queue, one of the two kills takes it along.
    roles.WORKER,
    roles.WORKER,
    roles.PUSHER,
    roles.MONITOR,
    roles.SENTINEL,
    roles.CLUSTER,
    roles.PULSE,
    roles.WATCHDOG,
)


class Machines:
    def __init__(self, product: Product) -> None:
        self._product = product
        self._started: list[Machine] = []

    def start(self, name: str = "one", **extra: str) -> Machine:
        environment = {**self._product.environment(), **QUICK, **extra}
        # SQLite's file lies in the product's home.
        home = self._product.home / name if self._product.database_url else self._product.home
        machine = Machine(name, home, environment, slots=2)
        self._started.append(machine)
        machine.start()
        wait_whole(machine)
        return machine

    def end(self) -> None:
        for machine in self._started:
            machine.end()


@pytest.fixture
def machines(product: Product) -> Iterator[Machines]:
    register(Ping)
    machines = Machines(product)
    yield machines
    machines.end()
    unregister(Ping.kind)


@pytest.fixture
def redis_url() -> Iterator[str]:
    with throwaway_redis() as url:
        yield url


def wait_whole(machine: Machine) -> None:
    until(lambda: machine.look().is_whole, seconds=BACK_SECONDS)


def kill(machine: Machine, role: str) -> None:
    pid = next(seen.pid for seen in machine.processes() if seen.role == role)
    assert machine.signal(pid, signal.SIGKILL)
    until(lambda: pid not in {seen.pid for seen in machine.processes()})


def make_jobs(count: int, *, seconds: float = 0) -> list[Job]:
    return [enqueue("chaos.ping", {"seconds": seconds}, actor=None) for _ in range(count)]


def done(jobs: Sequence[Job]) -> list[Job]:
    return list(Job.objects.filter(pk__in=[j.pk for j in jobs], status=JobStatus.COMPLETED))


def wait_done(jobs: Sequence[Job]) -> set[int]:
    """The processes that did them."""
    until(lambda: len(done(jobs)) == len(jobs), seconds=BACK_SECONDS)
    return {job.result["pid"] for job in done(jobs) if job.result}


def serve_again(machine: Machine) -> float:
    """Seconds until a new job was done and every child is there."""
    began = time.monotonic()
    wait_done(make_jobs(1))
    wait_whole(machine)
    return time.monotonic() - began


def kill_each(machine: Machine) -> None:
    serve_again(machine)
    for role in EACH:
        kill(machine, role)
        took = serve_again(machine)
        print(f"{role} killed: back after {took:.1f} s")  # pytest tells it of a failed test


def test_service_is_back_whichever_child_was_killed(machines: Machines) -> None:
    kill_each(machines.start())


@pytest.mark.parametrize("product", ["postgres"], indirect=True)
def test_so_it_is_with_wake_ups_on_redis(machines: Machines, redis_url: str) -> None:
    kill_each(machines.start(GATEHOUSE_REDIS_URL=redis_url))


def test_a_machine_ends_well_whichever_of_them_was_killed(machines: Machines) -> None:
    """What the others wait for to end must not have died with it."""
    machine = machines.start()
    for role in (roles.WORKER, roles.PUSHER, roles.MONITOR):
        kill(machine, role)
        serve_again(machine)
    assert machine.stop() == 0
    assert not holders(), "the same database, under another machine's name, may begin at once"


def holders() -> list[str]:
    """Of a SQLite file; a database of PostgreSQL has none at any time."""
    return list(NamedLease.objects.exclude(lease_owner="").values_list("lease_owner", flat=True))


@pytest.mark.parametrize("product", ["postgres"], indirect=True)
def test_two_machines_share_the_load_and_survive_the_loss_of_either(machines: Machines) -> None:
    one, two = machines.start("one"), machines.start("two")
    until(lambda: both_work(one, two))
    lose(one)
    one.start()
    wait_whole(one)
    lose(two)


def both_work(one: Machine, two: Machine) -> bool:
    """A machine that has just begun may leave a few jobs to the other."""
    pids = wait_done(make_jobs(40, seconds=0.1))
    return bool(pids & workers(one) and pids & workers(two))


def lose(machine: Machine) -> None:
    """As a power cut, in the midst of its work: what it had not done is done by the other one."""
    jobs: list[Job] = []

    def is_caught() -> bool:
        """There is always something to do: a look can take longer than all that was there."""
        if len(done(jobs)) == len(jobs):
            jobs.extend(make_jobs(10, seconds=0.5))
        return is_in_the_midst(machine)

    until(is_caught)
    machine.end()
    wait_done(jobs)


def workers(machine: Machine) -> frozenset[int]:
    return machine.look().workers


def is_in_the_midst(machine: Machine) -> bool:
    """One of its workers has begun a job, and has not ended it."""
    running = Job.objects.filter(status=JobStatus.RUNNING, started_at__isnull=False)
    owners = running.values_list("lease_owner", flat=True)
    return bool({int(owner.split(":")[-2]) for owner in owners} & workers(machine))
