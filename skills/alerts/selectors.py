from typing import Any

from django.db.models import QuerySet

from jobs.enums import JobStatus
from skills.alerts.models import Alert

SHOWN = 20


def list_last_alerts(rule_id: Any) -> QuerySet[Alert]:
    return Alert.objects.filter(rule_id=rule_id).select_related("rule", "job")[:SHOWN]


def delivery_state(alert: Alert) -> str:
    """`delivered`, `failed`, `waiting`, or "" when there was no webhook. Reads the alert's job."""
    if alert.delivered_at:
        return "delivered"
    if alert.job is None:
        return "" if alert.job_id is None and not alert.rule.url else "failed"
    over = alert.job.status in (JobStatus.FAILED, JobStatus.CANCELLED)
    return "failed" if over else "waiting"
