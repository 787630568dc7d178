from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import Error, Tags, register
from django.db import connections

from skills.triggers import missing_triggers


@register(Tags.database)
def triggers_are_there(databases: Sequence[str] | None = None, **_: Any) -> list[checks.Warning]:
    """A warning, not an error: `migrate` runs this check first, and is what repairs it."""
    return [
        checks.Warning(
            f"The audit on {alias!r} can be changed: {', '.join(missing)} missing.",
            hint="Run manage.py migrate, then manage.py verify_audit.",
            id="gatehouse.W002",
        )
        for alias in databases or ()
        if (missing := missing_triggers(connections[alias]))
    ]


@register()
def audit_key_is_there(**_: Any) -> list[Error]:
    if settings.AUDIT_KEY:
        return []
    return [
        Error(
            "AUDIT_KEY is empty: anybody could make seals that verify.",
            hint="Unset GATEHOUSE_AUDIT_KEY to have one generated, or give it a random value.",
            id="gatehouse.E002",
        )
    ]
