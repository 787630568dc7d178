"""The product's settings, with the benchmark's handlers; a peer's processes get what suits it best.

BENCH_SYSTEM names the system that this process belongs to.
"""

import os

from config.settings import *  # noqa: F403 (a settings module)
from config.settings import DATABASES, INSTALLED_APPS, JOB_WORKERS, REDIS_URL

INSTALLED_APPS = [*INSTALLED_APPS, "bench.queues"]

if os.environ["BENCH_SYSTEM"].startswith("q2"):
    # As its documentation advises, but for what costs it time here: nothing is saved, no worker is
    # recycled, and connections stay open.
    Q_CLUSTER = {
        "name": "raw",
        "workers": JOB_WORKERS,
        "timeout": 60,
        "retry": 120,
        "bulk": 1,
        "poll": 0.2,
        "save_limit": -1,
        "ack_failures": True,
        "max_attempts": 1,
        "recycle": 1_000_000,
        **({"redis": REDIS_URL} if REDIS_URL else {"orm": "default"}),
    }
    DATABASES["default"]["OPTIONS"].pop("pool")
    DATABASES["default"]["CONN_MAX_AGE"] = None
