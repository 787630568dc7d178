"""Rules, refusals and what evaluating them brings, for tests of alerts."""

from typing import Any

from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.audit import Outcome
from config.base.ids import uuid7
from config.base.models import User
from jobs.enums import JobStatus
from skills.alerts.evaluation import raise_alerts
from skills.alerts.models import Alert, AlertRule
from skills.alerts.services import WEBHOOK_KIND, save_rule
from skills.subjects import subject_of
from tests.jobs.factories import make_job
from tests.skills.audit import record, seal_all
from tests.tools.secrets import make_secret, operator_actor

SIGNING = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="


def make_rule(operator: User, **values: Any) -> AlertRule:
    """Three denials within ten minutes."""
    rule = AlertRule(**{"name": "too often", "denials": 3, "minutes": 10, **values})
    save_rule(operator_actor(operator), rule, [])
    return rule


def make_rule_with_webhook(operator: User, **values: Any) -> AlertRule:
    secret = make_secret(operator, "alerts", value=SIGNING)
    return make_rule(operator, **{"url": "http://a.example/hook", "secret": secret, **values})


def refuse(user: User | None, times: int = 1, **facts: Any) -> None:
    """As the pipeline writes it: the decision and the call, each refused."""
    actor = Actor(user=user, origin=Origin.CHAT) if user else None
    values = {"actor": actor, "outcome": Outcome.DENIED, "tool": "fetch", **facts}
    for _ in range(times):
        target = ("tool_call", uuid7())
        record("policy.decided", **{"target": target, **values})
        record("tool.call.denied", **{"target": target, **values})


def evaluate() -> list[Alert]:
    seal_all(timezone.now())
    return raise_alerts(timezone.now())


def make_alert(user: User, *, name: str = "too often") -> Alert:
    """Written straight into the database, with its rule; it has not been delivered."""
    rule = AlertRule.objects.get_or_create(name=name)[0]
    now = timezone.now()
    times = {"first_at": now, "last_at": now, "raised_at": now}
    job = make_job(
        JobStatus.FAILED, kind=WEBHOOK_KIND, owner=None, last_error_code="connect_failed"
    )
    return Alert.objects.create(rule=rule, subject=subject_of(user), denials=5, job=job, **times)
