"""The RunHost of a web process: claims runs, drives them in bounded threads, renews leases.

`config.base.wake` wakes the host of this process; the sweep finds what any other left behind.
"""

import logging
import threading
import time
from collections.abc import Callable
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError, connection

from agents.receipts import write_missing_receipts
from agents.runs import news
from agents.runs.claim import claim_runs
from agents.runs.drive import drive
from agents.runs.fence import RunFence
from config.base import leases
from config.base.transactions import release_connection
from config.base.wake import listen, unlisten
from skills.runs import settle_waiting_runs
from tools.drafts import expire_due_drafts, settle_lost_calls

log = logging.getLogger(__name__)

STOP_SECONDS = 2.0  # for runs to come to the end of a step


class RunHost:
    def __init__(self) -> None:
        self.owner = leases.new_owner()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._held: dict[UUID, RunFence] = {}
        self._threads = [
            threading.Thread(target=self._claim_loop, name="run-claim", daemon=True),
            threading.Thread(target=self._renew_loop, name="run-renew", daemon=True),
            threading.Thread(target=self._sweep_loop, name="run-sweep", daemon=True),
        ]

    def start(self) -> None:
        listen(self.wake)
        news.add_driver(self.owner)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Claim nothing more, give runs a moment to come to a step's end, then give them back.

        Giving one back in mid-send is safe: whoever takes it over goes by the call's deadline.
        """
        unlisten(self.wake)
        news.remove_driver(self.owner)
        self._stopping.set()
        self._wake.set()
        deadline = time.monotonic() + STOP_SECONDS
        while self._fences() and time.monotonic() < deadline:
            time.sleep(0.02)
        for fence in self._fences():
            fence.let_go()
        for thread in self._threads:
            thread.join(timeout=1)
        connection.close()

    def wake(self) -> None:
        self._wake.set()

    def _fences(self) -> list[RunFence]:
        with self._lock:
            return list(self._held.values())

    # --- The three loops; each outlives whatever goes wrong in one of its rounds ---

    def _claim_loop(self) -> None:
        while not self._stopping.is_set():
            self._wake.wait(settings.RUN_SWEEP_SECONDS)
            self._wake.clear()
            self._round(self._claim)
        connection.close()

    def _renew_loop(self) -> None:
        while not self._stopping.wait(settings.RUN_RENEW_SECONDS):
            self._round(self._renew)
        connection.close()

    def _sweep_loop(self) -> None:
        while not self._stopping.wait(settings.RUN_SWEEP_SECONDS):
            self._round(expire_due_drafts)
            self._round(settle_lost_calls)
            self._round(write_missing_receipts)
            self._round(settle_waiting_runs)
            self._wake.set()
        connection.close()

    def _round(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:
            log.exception("a round of the run host failed; the next one tries again")
            connection.close()  # it may be what is broken
        finally:
            release_connection()

    def _claim(self) -> None:
        free = settings.RUN_HOST_THREADS - len(self._fences())
        if self._stopping.is_set() or free <= 0:
            return
        for fence in claim_runs(self.owner, limit=free):
            with self._lock:
                self._held[fence.run_id] = fence
            # A daemon: a model that thinks for a minute must not hold up the end of the process.
            threading.Thread(target=self._drive, args=(fence,), name="run", daemon=True).start()

    def _renew(self) -> None:
        """One that can't be renewed stops no other."""
        for fence in self._fences():
            try:
                fence.renew()
            except DatabaseError:
                log.exception("the lease of run %s could not be renewed", fence.run_id)

    def _drive(self, fence: RunFence) -> None:
        try:
            drive(fence, should_stop=self._stopping.is_set)
        finally:
            with self._lock:
                if self._held.get(fence.run_id) is fence:  # else claimed anew meanwhile
                    del self._held[fence.run_id]
            connection.close()
            news.tell(fence.run_id, news.RESTS)
            self._wake.set()  # a slot is free, and a run that just paused may be runnable again
