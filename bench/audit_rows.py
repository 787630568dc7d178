"""A million audit events, written past the recorder: what they weigh on, not that they verify."""

from datetime import timedelta

from django.db import connection
from django.utils import timezone

from skills.models import AuditEvent
from skills.subjects import subject_of
from tests.processes.people import person

PEOPLE = 50
DAYS = 90
_NUMBERS = {
    "postgresql": "SELECT GENERATE_SERIES(1, {rows}) AS n",
    "sqlite": "WITH RECURSIVE numbers(n) AS "
    "(SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows}) SELECT n FROM numbers",
}
_UUID = {"postgresql": "GEN_RANDOM_UUID()", "sqlite": "LOWER(HEX(RANDOMBLOB(16)))"}
_TEXT_UUID = {"postgresql": "GEN_RANDOM_UUID()::text", "sqlite": "LOWER(HEX(RANDOMBLOB(16)))"}
_TIME = {
    "postgresql": "%s::timestamptz + n * {step} * INTERVAL '1 second'",
    "sqlite": "STRFTIME('%%Y-%%m-%%d %%H:%%M:%%f', %s, (n * {step}) || ' seconds')",
}
# Of fifty events one is a denial, half of the rest are decisions; a tenth are jobs, without a tool.
_COLUMNS = {
    "action": "CASE WHEN n %% 50 = 0 THEN 'tool.call.denied' WHEN n %% 10 = 1 THEN 'job.executed' "
    "WHEN n %% 2 = 0 THEN 'policy.decided' ELSE 'tool.call.succeeded' END",
    "outcome": "CASE WHEN n %% 50 = 0 THEN 'denied' WHEN n %% 2 = 0 THEN 'allowed' "
    "ELSE 'succeeded' END",
    "actor": "'user'",
    "origin": "'chat'",
    "skill": "CASE WHEN n %% 20 = 3 THEN 'memory-recall' ELSE '' END",
    "skill_version": "''",
    "tool": "CASE WHEN n %% 10 = 1 THEN '' WHEN n %% 3 = 0 THEN 'fetch' ELSE 'document' END",
    "scope": "''",
    "target_type": "'tool_call'",
    "reason_code": "CASE WHEN n %% 100 = 0 THEN 'permission_missing' "
    "WHEN n %% 50 = 0 THEN 'quota_exceeded' ELSE '' END",
    "metadata": """CASE WHEN n %% 1000 = 2 THEN '{{"decision": "needs_consent"}}' """
    """ELSE '{{"decision": "allow", "gate": "enabled"}}' END""",
    "row_hash": "'0000000000000000000000000000000000000000000000000000000000000000'",
}


def fill_audit(rows: int) -> None:
    """Spread over the last 90 days; the subjects are those of fifty people."""
    vendor = connection.vendor
    people = [subject_of(person(f"busy{n}")[0]) for n in range(PEOPLE)]
    listed = ", ".join(f"({n}, '{_key(key)}')" for n, key in enumerate(people))
    step = DAYS * 86_400 / rows
    values = {
        "event_id": _UUID[vendor],
        "recorded_at": _TIME[vendor].format(step=step),
        "subject": "subject" if vendor == "sqlite" else "subject::uuid",
        "target_id": _TEXT_UUID[vendor],
        "run_id": _UUID[vendor],
        "conversation_id": _UUID[vendor],
        **{name: text.replace("{{", "{").replace("}}", "}") for name, text in _COLUMNS.items()},
    }
    if vendor == "postgresql":
        values["metadata"] = f"({values['metadata']})::jsonb"
    since = timezone.now() - timedelta(days=DAYS)
    start = since if vendor == "postgresql" else since.strftime("%Y-%m-%d %H:%M:%S")
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {AuditEvent._meta.db_table} ({', '.join(values)}) "
            f"SELECT {', '.join(values.values())} FROM ({_NUMBERS[vendor].format(rows=rows)}) AS m "
            f"JOIN (SELECT column1 AS k, column2 AS subject FROM (VALUES {listed}) AS v) AS s "
            f"ON s.k = n %% {PEOPLE}",
            [start],
        )
        cursor.execute("ANALYZE")


def _key(key: object) -> str:
    return str(key) if connection.vendor == "postgresql" else str(key).replace("-", "")
