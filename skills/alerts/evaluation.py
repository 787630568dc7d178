"""Looking at new denials. Only sealed events count: no earlier one can turn up any more."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from skills.alerts.models import Alert, AlertRule
from skills.alerts.services import raise_alert
from skills.alerts.windows import Window, find_windows
from skills.models import AuditEvent
from skills.sealer import last_seal
from skills.selectors import list_denials

MOST = 1000  # denials looked at in one transaction


def raise_alerts(now: datetime) -> list[Alert]:
    """Of all rules, for all that was sealed. Where nobody was refused it writes nothing."""
    seal = last_seal()
    if seal is None:
        return []
    raised: list[Alert] = []
    for rule in AlertRule.objects.filter(enabled=True):
        more = _new_denials(rule, seal.last_event).exists()  # without its lock: mostly none are
        while more:
            alerts, more = evaluate_rule(rule.pk, through=seal.last_event, now=now)
            raised += alerts
    return raised


@transaction.atomic
def evaluate_rule(rule_id: UUID, *, through: int, now: datetime) -> tuple[list[Alert], bool]:
    """Its next denials, up to this event, and whether there may be more. The row is locked and read
    again: of two at once the second finds that they have been looked at, and what an operator has
    changed since counts."""
    rule = AlertRule.objects.select_for_update().filter(pk=rule_id, enabled=True).first()
    if rule is None:
        return [], False
    new = list(_new_denials(rule, through).values_list("pk", "subject", "recorded_at")[:MOST])
    if not new:
        return [], False
    times: dict[UUID, list[datetime]] = {}
    for _key, subject, moment in new:
        if subject is not None:
            times.setdefault(subject, []).append(moment)
    alerts = [
        raise_alert(rule, subject, window, now=now)
        for subject, moments in times.items()
        for window in _windows(rule, subject, moments, before=new[0][0])
    ]
    rule.evaluated_through = new[-1][0]
    rule.save(update_fields=["evaluated_through"])
    return alerts, len(new) == MOST


def _new_denials(rule: AlertRule, through: int) -> QuerySet[AuditEvent]:
    events = list_denials(tool=rule.tool, skill=rule.skill, reason_code=rule.reason_code)
    new = events.filter(pk__gt=rule.evaluated_through, pk__lte=through, subject__isnull=False)
    return new.order_by("pk")


def _windows(
    rule: AlertRule, subject: UUID, new: Iterable[datetime], *, before: int
) -> list[Window]:
    """With the last of before, as many as can still be missing to a window."""
    span = timedelta(minutes=rule.minutes)
    last = Alert.objects.filter(rule=rule, subject=subject).order_by("-last_at").first()
    events = list_denials(
        subject=subject, tool=rule.tool, skill=rule.skill, reason_code=rule.reason_code
    )
    earlier = events.filter(pk__gt=rule.counts_after, pk__lt=before).order_by("-pk")
    times = [*earlier.values_list("recorded_at", flat=True)[: rule.denials - 1], *new]
    return find_windows(
        times,
        denials=rule.denials,
        span=span,
        quiet_until=last.last_at + span if last else None,
    )
