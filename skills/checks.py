from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import Error, Tags, register
from django.db import connections

from skills.definition_checks import problems_of, repeated
from skills.registry import declared_skills
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


@register()
def skills_are_sound(**_: Any) -> list[Error]:
    """A definition that says something impossible would be refused, or trusted, only in use."""
    skills = declared_skills()
    errors = [
        Error(f"The skill {skill.manifest} can't be used: {problem}.", id="gatehouse.E011")
        for skill in skills
        for problem in problems_of(skill)
    ]
    hint = "Give the later definition a version of its own."
    return errors + [
        Error(f"The skill {name} is defined twice.", hint=hint, id="gatehouse.E012")
        for name in repeated(skills)
    ]
