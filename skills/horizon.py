"""Up to which id the audit is final: no event with a lower id can turn up any more.

SQLite has one writer at a time, so ids are drawn and committed in the same order: the last
committed id is final.

PostgreSQL draws ids before it commits them: event 4 may be committed after event 5. The snapshot's
xmin does not settle that by itself, since an older transaction may draw the higher id. What does:
an INSERT holds ROW EXCLUSIVE on its table from before it draws an id until its transaction has
ended and is visible. So: read the last visible id, **then** note who holds that lock. Every lower
id that is still missing belongs to one of those; once none of them is left, it is there or it was
rolled back for good. Transactions that came later draw higher ids and need not be waited for, and
long ones that record nothing don't hold the sealer up. Ids stay the order of the chain, whatever
happens to transaction counters (a dump that is restored elsewhere starts them anew).
"""

import time

from django.db import connection
from django.db.models import Max

from skills.models import AuditEvent

PATIENCE_SECONDS = 0.2  # transactions that record are short: usually all are over after some ms
_STEP_SECONDS = 0.01
_WRITERS = """
    SELECT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted
      AND relation = %s::regclass AND pid IS DISTINCT FROM pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def last_event_id() -> int:
    return AuditEvent.objects.aggregate(last=Max("id"))["last"] or 0


class Horizon:
    """Remembers what it waits for, so that writers that follow each other can't starve it."""

    def __init__(self) -> None:
        self._last_id = 0
        self._writers: set[str] = set()
        self._waiting = False

    def settle(self, patience_seconds: float = PATIENCE_SECONDS) -> int:
        """The id up to which all is final; 0 while that is not known yet."""
        if connection.vendor != "postgresql":
            return last_event_id()
        if not self._waiting:
            self._last_id = last_event_id()
            self._writers = _writers()
            self._waiting = True
        return self._await_writers(time.monotonic() + patience_seconds)

    def _await_writers(self, deadline: float) -> int:
        while self._writers:
            self._writers &= _writers()
            if self._writers and time.monotonic() >= deadline:
                return 0
            if self._writers:
                time.sleep(_STEP_SECONDS)
        self._waiting = False
        return self._last_id


def _writers() -> set[str]:
    """Transactions other than our own that may have drawn an id."""
    with connection.cursor() as cursor:
        cursor.execute(_WRITERS, [AuditEvent._meta.db_table])
        return {row[0] for row in cursor.fetchall()}
