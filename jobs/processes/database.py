"""The database connections of a process that lives long and uses few."""

from typing import Any

from django.conf import settings
from django.db import connections

PREPARED_AFTER = 2  # uses of the same statement


def keep_one_connection() -> None:
    """Each thread keeps its own, and no pool: its threads would not survive a fork.

    One that broke is closed by whoever finds it so: django-q2 before each wake-up, a tick, a hold
    and a loop when they fail.
    """
    for alias in connections:
        database = connections.settings[alias]
        options = {k: v for k, v in database.get("OPTIONS", {}).items() if k != "pool"}
        if connections[alias].vendor == "postgresql":
            options |= _postgres_options(options)
        database["OPTIONS"] = options
        database["CONN_MAX_AGE"] = None
        database["CONN_HEALTH_CHECKS"] = True
        connections[alias].close()
        del connections[alias]


def _postgres_options(options: dict[str, Any]) -> dict[str, Any]:
    """What recurs is planned once: a third less of the server's time for each job (measured).

    A worker that freezes at its effects, or whose machine is gone, holds its job's row until the
    server ends its transaction: no later than its lease.
    """
    idle_ms = int(settings.JOB_LEASE_SECONDS * 1000)
    ended = f"-c idle_in_transaction_session_timeout={idle_ms}"
    return {
        "server_side_binding": True,
        "prepare_threshold": PREPARED_AFTER,
        "options": f"{options.get('options', '')} {ended}".strip(),
    }
