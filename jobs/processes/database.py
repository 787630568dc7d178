"""The database connections of a process that lives long and uses few."""

from django.db import connections


def keep_one_connection() -> None:
    """Each thread keeps its own, and no pool: its threads would not survive a fork.

    django-q2 closes what is broken or too old before each wake-up.
    """
    for alias in connections:
        database = connections.settings[alias]
        database["OPTIONS"] = {k: v for k, v in database.get("OPTIONS", {}).items() if k != "pool"}
        database["CONN_MAX_AGE"] = None
        database["CONN_HEALTH_CHECKS"] = True
        connections[alias].close()
        del connections[alias]
