"""The database connections of a process that lives long and uses few."""

from django.db import connections

PREPARED_AFTER = 2  # uses of the same statement


def keep_one_connection() -> None:
    """Each thread keeps its own, and no pool: its threads would not survive a fork.

    django-q2 closes what is broken or too old before each wake-up. PostgreSQL plans what recurs
    once: a third less of its time for each job (measured).
    """
    for alias in connections:
        database = connections.settings[alias]
        options = {k: v for k, v in database.get("OPTIONS", {}).items() if k != "pool"}
        if connections[alias].vendor == "postgresql":
            options |= {"server_side_binding": True, "prepare_threshold": PREPARED_AFTER}
        database["OPTIONS"] = options
        database["CONN_MAX_AGE"] = None
        database["CONN_HEALTH_CHECKS"] = True
        connections[alias].close()
        del connections[alias]
