"""For load balancers and operators: is the process alive, and can it serve?"""

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils.module_loading import import_string

log = logging.getLogger(__name__)

_migrated = False  # once seen complete it stays so for this process


def healthz(_request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok"})


def readyz(_request: HttpRequest) -> JsonResponse:
    """200 when the database answers, every migration is applied, and each of
    settings.READINESS_CHECKS says "ok…"; else 503 with the reason.
    """
    checks = {"database": _check_database()}
    if checks["database"] == "ok":
        checks["migrations"] = _check_migrations()
    if checks.get("migrations") == "ok":
        checks |= {name: _check(path) for name, path in settings.READINESS_CHECKS.items()}
    ready = all(state.startswith("ok") for state in checks.values())
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


def _check(path: str) -> str:
    """Its error's text may hold content, and goes to the log only."""
    try:
        check: Callable[[], str] = import_string(path)
        return check()
    except DatabaseError as error:
        return f"unreachable ({type(error).__name__})"
    except Exception as error:
        log.exception("%s failed", path)
        return f"failed ({type(error).__name__})"
