"""Two things at once, each in a thread with a database connection of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection

PATIENCE_SECONDS = 30  # how long a test waits for another thread before it fails


def both_at_once[ResultT](*works: Callable[[], ResultT]) -> list[ResultT]:
    """Starts them together; their results in order. The first error is raised."""
    start = Barrier(len(works))

    def at_once(work: Callable[[], ResultT]) -> ResultT:
        try:
            start.wait(PATIENCE_SECONDS)
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(at_once, work) for work in works]
        return [future.result(PATIENCE_SECONDS) for future in futures]
