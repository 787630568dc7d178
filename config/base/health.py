"""For load balancers and operators: is the process alive, and can it serve?"""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse

_migrated = False  # once seen complete it stays so for this process


def healthz(_request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def readyz(_request: HttpRequest) -> JsonResponse:
    """200 when the database answers and every migration is applied, else 503 with the reason."""
    checks = {"database": _check_database()}
    if checks["database"] == "ok":
        checks["migrations"] = _check_migrations()
    ready = all(state == "ok" for state in checks.values())
    return JsonResponse(
        {"status": "ready" if ready else "not ready", "checks": checks},
        status=200 if ready else 503,
    )


def _check_database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"unreachable ({type(error).__name__})"
    return "ok"


def _check_migrations() -> str:
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return "ok" if _migrated else "not applied; run manage.py migrate"
