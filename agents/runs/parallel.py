"""Several jobs of one run at the same time: few threads, each with a connection of its own."""

import queue
import threading
from collections.abc import Callable, Iterator, Sequence

from django.conf import settings
from django.db import connection
from django.utils import translation

AT_ONCE = 4  # of one run
LOOK_UP_SECONDS = 1.0

_slots = threading.BoundedSemaphore(settings.RUN_READ_THREADS)  # of all runs of this process


def run_together[ResultT](
    jobs: Sequence[Callable[[], ResultT]], *, look_up: Callable[[], None]
) -> Iterator[tuple[int, ResultT]]:
    """Each job's number and result, as they end. Raises the first error of a job, or of `look_up`.

    What is then still under way is left behind and ends by itself: what it writes is fenced.
    Without a free thread, and within a transaction that other connections can't see into, the
    jobs are done here, one after the other.
    """
    workers = 0 if connection.in_atomic_block else _take_slots(min(len(jobs), AT_ONCE))
    if not workers:
        yield from ((number, job()) for number, job in enumerate(jobs))
        return
    group = _Group(jobs)
    for _worker in range(workers):
        threading.Thread(target=group.work, name="run-read", daemon=True).start()
    connection.close()  # not needed while waiting
    try:
        for _job in jobs:
            yield group.next_result(look_up)
    finally:
        group.left.set()


def _take_slots(wanted: int) -> int:
    taken = 0
    while taken < wanted and _slots.acquire(blocking=False):
        taken += 1
    return taken


class _Group[ResultT]:
    def __init__(self, jobs: Sequence[Callable[[], ResultT]]) -> None:
        self.left = threading.Event()
        self._jobs: queue.SimpleQueue[tuple[int, Callable[[], ResultT]]] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[int, ResultT | BaseException]] = queue.SimpleQueue()
        self._language = translation.get_language()
        for job in enumerate(jobs):
            self._jobs.put(job)

    def next_result(self, look_up: Callable[[], None]) -> tuple[int, ResultT]:
        while True:
            try:
                number, result = self._results.get(timeout=LOOK_UP_SECONDS)
            except queue.Empty:
                look_up()
                continue
            if isinstance(result, BaseException):
                raise result
            return number, result

    def work(self) -> None:
        try:
            with translation.override(self._language):
                while not self.left.is_set():
                    number, job = self._jobs.get_nowait()
                    self._results.put((number, _outcome_of(job)))
        except queue.Empty:
            pass
        finally:
            connection.close()
            _slots.release()


def _outcome_of[ResultT](job: Callable[[], ResultT]) -> ResultT | BaseException:
    try:
        return job()
    except BaseException as error:  # noqa: BLE001  (raised again where it is waited for)
        return error
