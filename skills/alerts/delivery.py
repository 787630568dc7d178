"""Sending one alert: at least once, under the same id, until somebody takes it."""

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.base.outbound.addresses import parse_networks
from config.base.outbound.client import OutboundClient
from config.base.outbound.deadline import Deadline
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.policy import OutboundPolicy
from config.base.outbound.urls import parse_url
from jobs.errors import PermanentFailure
from jobs.handlers import Handler, JobCall, Payload
from skills.alerts.errors import WebhookFailed
from skills.alerts.models import Alert, AlertRule
from skills.alerts.services import WEBHOOK_KIND
from skills.alerts.signing import signed_headers
from skills.models import AuditSubject
from tools.secrets.use import resolve_secret

TIMEOUT_SECONDS = 10
GONE = 410  # by which a receiver says that it wants no more


class AlertPayload(Payload):
    alert_id: UUID


class AlertWebhook(Handler[AlertPayload]):
    kind = WEBHOOK_KIND
    description = gettext_lazy("Sends an alert to the webhook of its rule.")
    payload_model = AlertPayload
    max_attempts = 6
    hard_limit_seconds = 3 * TIMEOUT_SECONDS

    def prepare(self, call: JobCall[AlertPayload]) -> int:
        alert = _alert(call.payload.alert_id)
        request = webhook_request(alert, now=timezone.now())
        call.check()
        client = OutboundClient(policy_of(alert.rule))
        response = client.send(request, Deadline.after(TIMEOUT_SECONDS))
        if 200 <= response.status_code < 300:
            return response.status_code
        message = _("The webhook answered %(status)s.") % {"status": response.status_code}
        if response.status_code == GONE:
            raise PermanentFailure(message)
        raise WebhookFailed(message)

    def apply(self, call: JobCall[AlertPayload], prepared: int) -> dict[str, Any]:
        alerts = Alert.objects.filter(pk=call.payload.alert_id)
        alerts.update(status_code=prepared, delivered_at=timezone.now())
        return {"status_code": prepared}


def _alert(alert_id: UUID) -> Alert:
    alert = Alert.objects.select_related("rule__secret").filter(pk=alert_id).first()
    if alert is None or not alert.rule.url:
        raise PermanentFailure(_("The alert, or the webhook of its rule, is gone."))
    return alert


def policy_of(rule: AlertRule) -> OutboundPolicy:
    """A redirect is no success: what was signed for one place goes to no other."""
    return OutboundPolicy(allowed_networks=parse_networks(rule.allowed_networks), max_redirects=0)


def webhook_request(alert: Alert, *, now: datetime) -> OutboundRequest:
    """Signed anew for each attempt: receivers refuse old times. Raises as `resolve_secret`."""
    secret, url = alert.rule.secret, parse_url(alert.rule.url)
    if secret is None:
        raise PermanentFailure(_("The rule has no secret to sign with."))
    value = resolve_secret(secret.name, url.host, scheme=url.scheme)
    body = json.dumps(message_of(alert), ensure_ascii=False).encode()
    headers = signed_headers(value, str(alert.pk), now, body)
    return OutboundRequest(
        url=str(url),
        method="POST",
        headers={"content-type": "application/json", **headers},
        body=body,
    )


def message_of(alert: Alert) -> dict[str, Any]:
    rule = alert.rule
    return {
        "type": "alert.raised",
        "timestamp": alert.raised_at.isoformat(),
        "data": {
            "alert_id": str(alert.pk),
            "is_test": alert.is_test,
            "rule": {
                "id": str(rule.pk),
                "name": rule.name,
                "denials": rule.denials,
                "minutes": rule.minutes,
                "tool": rule.tool,
                "skill": rule.skill,
                "reason_code": rule.reason_code,
            },
            "user": _user(alert),
            "denials": alert.denials,
            "first_at": alert.first_at.isoformat(),
            "last_at": alert.last_at.isoformat(),
        },
    }


def _user(alert: Alert) -> dict[str, str] | None:
    """Somebody who was erased meanwhile has no name any more."""
    if alert.subject is None:
        return None
    subject = AuditSubject.objects.select_related("user").filter(pk=alert.subject).first()
    return {"subject": str(alert.subject), "username": subject.user.username if subject else ""}
