"""Seals what has been recorded, beside the web process, at most a second behind.

Writers insert unchained events and never wait; one sealer at a time appends to the chain. On
PostgreSQL an advisory lock says whose turn it is, on SQLite the write lock and a named lease.
"""

import logging
import threading
import time
from datetime import datetime

from django.db import connection, transaction
from django.utils import timezone

from config.base import audit
from config.base.leases import hold_duty, new_owner, release_duty
from skills.horizon import Horizon, last_event_id
from skills.models import AuditEvent, AuditSeal
from skills.outages import Outages
from skills.seals import make_seal
from skills.triggers import make_triggers

log = logging.getLogger(__name__)

BATCH = 1000  # events per seal: 40 bytes each
TICK_SECONDS = 0.5
STOP_SECONDS = 3
HEAD_EVERY_SECONDS = 60  # how often the head goes to the log while events come in
DUTY = "audit-sealer"
LEASE_SECONDS = 2
_LOCK = 0x6761_7465_0002
_owner = new_owner()


def take_turn(*, wait: bool = False) -> bool:
    """True: nobody else appends to the chain until the end of this transaction."""
    if connection.vendor != "postgresql":
        return wait or hold_duty(DUTY, owner=_owner, seconds=LEASE_SECONDS)
    with connection.cursor() as cursor:
        if wait:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            return True
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_LOCK])
        return bool(cursor.fetchone()[0])


def last_seal() -> AuditSeal | None:
    return AuditSeal.objects.defer("entries").order_by("-n").first()


def has_unsealed() -> bool:
    """Two look-ups at the ends of indexes."""
    seal = last_seal()
    return last_event_id() > (seal.last_event if seal else 0)


def seal_once(now: datetime, horizon: Horizon | None = None) -> AuditSeal | None:
    """Append one seal over up to `BATCH` final events; None if there are none, they are not known
    to be final yet, or somebody else is at it. A caller that comes again passes its `horizon`."""
    if not has_unsealed():
        return None
    final = (horizon or Horizon()).settle()
    if not final:
        return None
    with transaction.atomic():
        return _append_seal(final, now) if take_turn() else None


def _append_seal(final: int, now: datetime) -> AuditSeal | None:
    previous = last_seal()
    unsealed = AuditEvent.objects.filter(
        id__gt=previous.last_event if previous else 0, id__lte=final
    ).order_by("id")
    entries = list(unsealed.values_list("id", "row_hash")[:BATCH])
    if not entries:
        return None
    seal = make_seal(previous, entries, now=now)
    seal.save()
    return seal


def repair_triggers() -> None:
    """Somebody took them away, so for a while the audit could be changed: say so, in it too."""
    made = make_triggers(connection)
    if made:
        log.error("the audit could be changed: %s missing; made again", ", ".join(made))
        audit.record(
            "audit.triggers_remade",
            audit.Outcome.SUCCEEDED,
            actor=None,
            reason_code="triggers_missing",
            metadata={"triggers": made},
        )


def _release() -> None:
    if connection.vendor != "postgresql":
        release_duty(DUTY, owner=_owner)


class SealerHost:
    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="audit-sealer", daemon=True)
        self._horizon = Horizon()
        self._head_due = 0.0
        self._outages = Outages(log, "the audit can't be sealed at the moment")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        """The last round, after the signal to stop, seals what came in until then."""
        self._outages.guard(repair_triggers)
        stopping = False
        while not stopping:
            stopping = self._stopping.wait(TICK_SECONDS)
            self._outages.guard(self._seal_all)
        self._outages.guard(_release)
        connection.close()

    def _seal_all(self) -> None:
        """Goes on while seals are full: what came in meanwhile waits for the next round."""
        full = True
        while full:
            seal = seal_once(timezone.now(), self._horizon)
            full = seal is not None and seal.event_count == BATCH
            if seal:
                self._log_head(seal)

    def _log_head(self, seal: AuditSeal) -> None:
        """Logs leave the machine: a head in them shows later that the end was cut."""
        if time.monotonic() >= self._head_due or self._stopping.is_set():
            self._head_due = time.monotonic() + HEAD_EVERY_SECONDS
            log.info("the audit is sealed; head %s", seal.head)
