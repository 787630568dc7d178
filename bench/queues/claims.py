"""What a claim costs beside so many rows: bench.jobs starts `python -m bench.queues.claims`.

Its argument names databases by what is put into them. They take turns, so a slow moment of the
machine meets all of them. It prints one line of JSON: the median of each, in milliseconds.
"""

import json
import sys
import time
from collections.abc import Mapping
from typing import Any

import django
from django.db import connection, connections

from bench.figures import median

# Columns of the product's own, filled as its services fill them.
_ROWS = """
    INSERT INTO jobs_job (
        id, kind, handler_version, payload, status, priority, scheduled_at, next_attempt_at,
        attempts, max_attempts, started_at, idempotency_key, last_error_code, last_error_message,
        created_at, finished_at, revision, lease_owner, owner_id
    )
    SELECT gen_random_uuid(), '{kind}', 1, '{{}}', '{status}', 0, {at}, {next}, {attempts}, 3,
        {started}, '', '', '', now(), {finished}, {attempts}, '',
        (SELECT id FROM base_user ORDER BY id LIMIT 1)
    FROM generate_series(1, {count}) AS n
"""
_WAITING = {"attempts": 0, "started": "NULL", "finished": "NULL", "status": "scheduled"}
_KINDS: dict[str, dict[str, Any]] = {
    "due": {"at": "now() - n * interval '1 ms'", **_WAITING},
    "paused": {"at": "now() - n * interval '1 ms'", "kind": "bench.nothing", **_WAITING},
    "future": {"at": "now() + n * interval '1 s' + interval '1 h'", **_WAITING},
    "finished": {
        "at": "now() - n * interval '1 s'",
        "next": "NULL",
        "attempts": 1,
        "started": "now() - n * interval '1 s'",
        "finished": "now() - n * interval '1 s'",
        "status": "completed",
    },
}
BATCH = 20
WARM_UP = 5


def fill(counts: Mapping[str, int]) -> None:
    with connection.cursor() as cursor:
        for what, count in counts.items():
            values = {"kind": "bench.message", "next": _KINDS[what]["at"], **_KINDS[what]}
            cursor.execute(_ROWS.format(count=count, **values))
        if "paused" in counts:
            cursor.execute("INSERT INTO jobs_pausedkind VALUES ('bench.nothing', now(), NULL)")
        cursor.execute("VACUUM (ANALYZE) jobs_job")


def claim_ms() -> float:
    from jobs.claiming import claim_due_jobs

    began = time.perf_counter()
    claimed = claim_due_jobs("bench", limit=BATCH)
    taken = (time.perf_counter() - began) * 1000
    if len(claimed) != BATCH:
        raise SystemExit(f"{len(claimed)} jobs were claimed")
    return taken


def main() -> None:
    databases: dict[str, dict[str, int]] = json.loads(sys.argv[1])
    rounds = int(sys.argv[2])
    django.setup()
    from jobs.processes.database import keep_one_connection

    keep_one_connection()  # as workers do; a pool would be one for all of these
    own = connections["default"]
    wrappers: dict[str, Any] = {}
    for name, counts in databases.items():
        wrappers[name] = connections["default"] = own.copy()
        wrappers[name].settings_dict = {**own.settings_dict, "NAME": name}
        fill(counts)
    taken: dict[str, list[float]] = {name: [] for name in databases}
    for _ in range(WARM_UP + rounds):
        for name, wrapper in wrappers.items():
            connections["default"] = wrapper
            taken[name].append(claim_ms())
    print(json.dumps({name: median(times[WARM_UP:]) for name, times in taken.items()}))


if __name__ == "__main__":
    main()
