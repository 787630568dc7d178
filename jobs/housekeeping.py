"""The product's own throwing away, as jobs: each app declares what it keeps only for a time."""

import time
from collections.abc import Callable, Mapping
from typing import ClassVar

from pydantic import JsonValue

from jobs.enums import CreateBy
from jobs.handlers import Handler, JobCall, NoPayload

WORK_SECONDS = 60.0  # then the next time goes on

# Deletes a batch in a transaction of its own; how many they were. 0: nothing is left to delete.
type Purge = Callable[[], int]


class Housekeeping(Handler[NoPayload]):
    """`purges` names what goes. Killed anywhere, a part is gone and the next time goes on."""

    create_by = CreateBy.OPERATORS
    hard_limit_seconds = 2 * WORK_SECONDS
    purges: ClassVar[Mapping[str, Purge]]

    def prepare(self, call: JobCall[NoPayload]) -> dict[str, JsonValue]:
        until = time.monotonic() + WORK_SECONDS
        gone = {name: purge_all(purge, call, until) for name, purge in self.purges.items()}
        return {**gone, "is_more": time.monotonic() > until}

    def apply(self, call: JobCall[NoPayload], prepared: dict[str, JsonValue]) -> JsonValue:
        return prepared


def purge_all(purge: Purge, call: JobCall[NoPayload], until: float) -> int:
    """Raises `LeaseLost`. Rests as long as each batch took: on SQLite others write meanwhile."""
    total = 0
    while (began := time.monotonic()) <= until:
        call.check()
        gone = purge()
        if not gone:
            break
        total += gone
        call.lost.wait(time.monotonic() - began)
    return total
