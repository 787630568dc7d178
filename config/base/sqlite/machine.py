"""One machine at a time: SQLite's locks don't reach over a network, nor does its clock.

The machine that runs the product says so in the database every few seconds; another one that
finds it said lately refuses to start.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError, connection
from django.utils.translation import gettext_lazy as _

from config.base import leases
from config.base.errors import Conflict
from config.base.models import NamedLease
from config.base.processes.requests import is_supervised

log = logging.getLogger(__name__)

DUTY = "sqlite-machine"
HOLD_SECONDS = 30.0
AGAIN_SECONDS = 5.0
RELEASE_MS = 1000

_has_table = False  # once seen it stays so for this process


class OtherMachine(Conflict):
    default_message = _(
        "Another machine (%(machine)s) runs Gatehouse on this SQLite database. Stop it there and "
        "wait for half a minute, or move to PostgreSQL: set DATABASE_URL."
    )
    code = "sqlite_other_machine"


def this_machine() -> str:
    """Its name and, where the system has one, the id that no two machines share."""
    try:
        known = Path("/etc/machine-id").read_text().strip()[:32]
    except OSError:
        known = ""
    return f"{leases.machine_name()}:{known}"


def hold_database() -> None:
    """Say, on SQLite, that this machine is the one. Raises `OtherMachine`."""
    if connection.vendor != "sqlite" or not _is_migrated():
        return
    if not leases.hold_duty(DUTY, owner=this_machine(), seconds=HOLD_SECONDS):
        other = NamedLease.objects.get(name=DUTY).lease_owner.partition(":")[0]
        raise OtherMachine(OtherMachine.default_message % {"machine": other})


def release_database() -> None:
    """The last process here has ended: another machine, or this one by another name, may begin.

    One that runs here on its own nevertheless takes it again within seconds.
    """
    if connection.vendor != "sqlite" or not _is_migrated():
        return
    try:
        with _waiting_briefly():
            leases.release_duty(DUTY, owner=this_machine())
    except DatabaseError:
        log.warning("the database is still this machine's for %g s", HOLD_SECONDS)


@contextmanager
def _waiting_briefly() -> Iterator[None]:
    """Whoever stops must not be held up by somebody else's lock."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        (before,) = cursor.fetchone()
        cursor.execute(f"PRAGMA busy_timeout = {RELEASE_MS}")
        try:
            yield
        finally:
            cursor.execute(f"PRAGMA busy_timeout = {before}")


def _is_migrated() -> bool:
    """A new database is nobody's."""
    global _has_table
    if not _has_table:
        _has_table = NamedLease._meta.db_table in connection.introspection.table_names()
    return _has_table


class MachineHost:
    """Beside a web process; where there is none, the pulse of the workers does it."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="sqlite-machine", daemon=True)

    def start(self) -> None:
        """Raises `OtherMachine`: whatever serves this process, it must not begin."""
        try:
            hold_database()
        finally:
            connection.close()
        if connection.vendor == "sqlite":
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if not self._thread.is_alive():
            return
        self._thread.join(timeout=1)
        if not is_supervised():  # else the others are still at work
            release_database()
            connection.close()

    def _loop(self) -> None:
        failing = False
        while not self._stopping.wait(AGAIN_SECONDS):
            try:
                hold_database()
                failing = False
            except Exception:
                if not failing:
                    log.exception("this machine could not say that the database is its own")
                failing = True
            finally:
                connection.close()
