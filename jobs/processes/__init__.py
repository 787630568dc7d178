"""The processes of background work, children of the supervisor (settings.PROCESSES)."""
