"""Processes and their descendants, looked at from outside."""

import psutil  # type: ignore[import-untyped]  # it has no types

from tests.processes.waiting import until


def tree(pid: int) -> list[psutil.Process]:
    """All descendants; none if it does not run."""
    try:
        found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    return found


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [process for process in processes if is_alive(process)]


def is_alive(process: psutil.Process) -> bool:
    """A zombie is not: it waits for the system's first process to take note."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def listener(processes: list[psutil.Process], port: int) -> psutil.Process:
    """Who of them serves this port."""
    return next(
        process
        for process in processes
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port
    )


def wait_gone(processes: list[psutil.Process]) -> None:
    until(lambda: not alive(processes))
