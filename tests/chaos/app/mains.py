"""The mains of jobs.processes, each in a process that can be told from the others."""

from jobs.processes import pulse as pulse_process
from jobs.processes import watchdog as watchdog_process
from jobs.processes import worker as worker_process
from tests.chaos.app import roles


def worker() -> None:
    roles.say(roles.CLUSTER)
    worker_process.main()


def pulse() -> None:
    roles.say(roles.PULSE)
    pulse_process.main()


def watchdog() -> None:
    roles.say(roles.WATCHDOG)
    watchdog_process.main()
