"""What a worker process does: `jobs.worker.tick` is the name that wake-ups carry."""

from jobs.worker.ticking import tick

__all__ = ["tick"]
