"""One process of those that write audit events at once: `… write THREADS EVENTS` or `… seal`.

A sealer goes on until its standard input closes.
"""

import os
import sys
import threading
from collections.abc import Callable
from functools import partial

import django


def main(role: str, *numbers: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    print("ready", flush=True)
    sys.stdin.readline()
    if role == "seal":
        seal()
    else:
        threads, events = map(int, numbers)
        run_all([partial(write, n, events) for n in range(threads)])


def run_all(works: list[Callable[[], None]]) -> None:
    """Ends with 1 if one of them fails."""
    failed: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        from django.db import connection

        try:
            work()
        except BaseException as error:  # noqa: BLE001  (told at the end)
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def write(thread: int, events: int) -> None:
    """One or two in each transaction; every fifth transaction comes to nothing."""
    from django.db import transaction

    from config.base import audit

    for n in range(events):
        with transaction.atomic():
            for part in range(1 + n % 2):
                audit.record(
                    "tool.call.succeeded",
                    audit.Outcome.SUCCEEDED,
                    actor=None,
                    target=("tool_call", f"{os.getpid()}-{thread}-{n}-{part}"),
                )
            transaction.set_rollback(n % 5 == 4)


def seal() -> None:
    from django.utils import timezone

    from skills.horizon import Horizon
    from skills.sealer import seal_once

    over = threading.Event()
    threading.Thread(target=_wait_for_the_end, args=(over,), daemon=True).start()
    horizon = Horizon()
    while not over.wait(0.005):
        seal_once(timezone.now(), horizon)


def _wait_for_the_end(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    main(*sys.argv[1:])
