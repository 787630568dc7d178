"""Orders of reminders, for the tests of them."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from agents.models import Agent
from agents.skill_definitions import CHECK_IN
from config.base.actor import Actor, Origin
from config.base.models import User
from jobs.models import Job
from jobs.testing import make_due, run_due_jobs
from skills.background.services import (
    Order,
)
from skills.grants import Permission
from skills.models import AuditEvent

NOTE = "the zanzibar draft"
PERMISSION = Permission(skill_id=CHECK_IN, code="proactive_message:write")
DAILY = {"cron": "30 8 * * *", "zone": "Asia/Shanghai", "missed": "run_once"}


def page(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def later(**how: Any) -> datetime:
    return timezone.now() + timedelta(**(how or {"hours": 1}))


def order(agent: Agent, **facts: Any) -> Order:
    values = {"skill_id": CHECK_IN, "agent_id": agent.pk, "note": NOTE, "scheduled_at": later()}
    return Order(**{**values, **facts})


def actions() -> list[tuple[str, str]]:
    made = AuditEvent.objects.exclude(action__startswith="grant.").order_by("id")
    return list(made.values_list("action", "outcome"))


def run_now(job: Job) -> Job:
    make_due(job)
    [ran] = run_due_jobs()
    return ran
