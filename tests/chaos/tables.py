"""What the database itself writes down of every job: no process can forget it."""

from django.db import connection

# Times are seconds since 1970 by the database's clock.
_TABLES = {
    "chaos_permit": "id varchar(64) PRIMARY KEY",
    "chaos_effect": "job varchar(32), revision bigint, owner varchar(100)",
    "chaos_log": "seq {serial}, at double precision, job varchar(36), old text, new text",
}
_SERIAL = {
    "postgresql": "bigserial PRIMARY KEY",
    "sqlite": "integer PRIMARY KEY AUTOINCREMENT",
}
_EPOCH = {
    "postgresql": "extract(epoch FROM {0})",
    "sqlite": "((julianday({0}) - 2440587.5) * 86400.0)",
}
_NOW = {"postgresql": "clock_timestamp()", "sqlite": "'now'"}
_BUILD = {"postgresql": "jsonb_build_object({0})::text", "sqlite": "json_object({0})"}

_POSTGRES_TRIGGERS = (
    """
    CREATE FUNCTION chaos_note() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            INSERT INTO chaos_log (at, job, new) VALUES ({now}, NEW.id, {new});
        ELSE
            INSERT INTO chaos_log (at, job, old, new) VALUES ({now}, NEW.id, {old}, {new});
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER chaos_note AFTER INSERT OR UPDATE ON jobs_job
    FOR EACH ROW EXECUTE FUNCTION chaos_note()
    """,
)
_SQLITE_TRIGGERS = (
    """
    CREATE TRIGGER chaos_insert AFTER INSERT ON jobs_job BEGIN
        INSERT INTO chaos_log (at, job, new) VALUES ({now}, NEW.id, {new});
    END
    """,
    """
    CREATE TRIGGER chaos_update AFTER UPDATE ON jobs_job BEGIN
        INSERT INTO chaos_log (at, job, old, new) VALUES ({now}, NEW.id, {old}, {new});
    END
    """,
)
_TRIGGERS = {"postgresql": _POSTGRES_TRIGGERS, "sqlite": _SQLITE_TRIGGERS}


def make_tables() -> None:
    vendor = connection.vendor
    names = {"now": epoch(_NOW[vendor]), "old": _state("OLD"), "new": _state("NEW")}
    with connection.cursor() as cursor:
        for name, columns in _TABLES.items():
            cursor.execute(f"CREATE TABLE {name} ({columns.format(serial=_SERIAL[vendor])})")
        for statement in _TRIGGERS[vendor]:
            cursor.execute(statement.format(**names))
        cursor.execute("INSERT INTO chaos_permit (id) VALUES ('everybody')")


def database_time() -> float:
    """On both sides of a change made visible: after its commit."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {epoch(_NOW[connection.vendor])}")
        return float(cursor.fetchone()[0])


def epoch(term: str) -> str:
    return _EPOCH[connection.vendor].format(term)


def _state(row: str) -> str:
    columns = {
        "status": f"{row}.status",
        "revision": f"{row}.revision",
        "owner": f"{row}.lease_owner",
        "lease_until": epoch(f"{row}.lease_expires_at"),
        "due_at": epoch(f"{row}.next_attempt_at"),
        "attempts": f"{row}.attempts",
        "started_at": epoch(f"{row}.started_at"),
    }
    pairs = ", ".join(f"'{name}', {term}" for name, term in columns.items())
    return _BUILD[connection.vendor].format(pairs)
