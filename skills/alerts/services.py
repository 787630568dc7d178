"""What changes rules, and what raises and sends alerts."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound
from jobs.services import enqueue
from skills.alerts.errors import NoWebhook
from skills.alerts.models import Alert, AlertRule
from skills.alerts.windows import Window
from skills.horizon import last_event_id

WEBHOOK_KIND = "alert.webhook"
_JUDGES_BY = {"enabled", "tool", "skill", "reason_code", "denials", "minutes"}


@transaction.atomic
def save_rule(actor: Actor, rule: AlertRule, changed: Sequence[str]) -> None:
    """A new one, or one that judges differently from now on, judges no past.

    Only what changed is written: it is being evaluated while an operator looks at its form.
    """
    is_new = rule._state.adding
    written = None if is_new else set(changed)
    if is_new or _JUDGES_BY.intersection(changed):
        rule.evaluated_through = rule.counts_after = last_event_id()
        written = written and {*written, "evaluated_through", "counts_after"}
    rule.save(force_insert=is_new, update_fields=written)
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("alertrule", rule.pk),
        metadata={"fields": ["created"] if is_new else sorted(changed)},
    )


def raise_alert(rule: AlertRule, subject: UUID, window: Window, *, now: datetime) -> Alert:
    """In the caller's transaction, which holds the rule's lock."""
    alert = Alert.objects.create(
        rule=rule,
        subject=subject,
        denials=window.denials,
        first_at=window.first_at,
        last_at=window.last_at,
        raised_at=now,
    )
    audit.record(
        "alert.raised",
        audit.Outcome.SUCCEEDED,
        actor=None,
        target=("alert", alert.pk),
        tool=rule.tool,
        skill=rule.skill,
        reason_code=rule.reason_code,
        metadata={
            "rule": rule.pk,
            "subject": subject,
            "denials": window.denials,
            "first_at": window.first_at,
            "last_at": window.last_at,
        },
    )
    if rule.url:
        _send(alert)
    return alert


@transaction.atomic
def send_test(actor: Actor, rule_id: UUID, *, now: datetime) -> Alert:
    """As a real one is sent, and marked as a test. Raises `NotFound`, `NoWebhook`."""
    rule = AlertRule.objects.filter(pk=rule_id).first()
    if rule is None:
        raise NotFound
    if not rule.url:
        raise NoWebhook
    alert = Alert.objects.create(
        rule=rule, denials=0, first_at=now, last_at=now, raised_at=now, is_test=True
    )
    audit.record("alert.tested", audit.Outcome.SUCCEEDED, actor=actor, target=("alert", alert.pk))
    _send(alert)
    return alert


def _send(alert: Alert) -> None:
    key = str(alert.pk)
    alert.job = enqueue(WEBHOOK_KIND, {"alert_id": key}, actor=None, idempotency_key=key)
    alert.save(update_fields=["job"])
