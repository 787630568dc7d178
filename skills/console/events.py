"""Who stands behind an event, and how it ended, for lists that do not ask once a row."""

from typing import Any

from django.db.models import Subquery
from django.utils.translation import gettext as _

from config.base.admin_base import Label
from skills.models import AuditEvent, AuditSubject
from tools.enums import DecisionOutcome

# Of outcomes and of decisions; what has none is nothing to look at.
COLOURS = {
    "denied": "danger",
    "deny": "danger",
    "failed": "danger",
    "needs_confirmation": "warning",
    "needs_consent": "warning",
    "cancelled": "info",
}


def user_name(subject: Any) -> Subquery:
    """For `annotate(user_name=…)`."""
    names = AuditSubject.objects.filter(pk=subject).values("user__username")
    return Subquery(names[:1])


def who_of(event: AuditEvent) -> str:
    """Of an event that was read with its `user_name`."""
    name = getattr(event, "user_name", None)
    if name:
        return f"{name} ({event.get_actor_display()})"
    erased = _("erased") if event.subject else ""
    return f"{event.get_actor_display()} {erased}".strip()


def decision_of(event: AuditEvent) -> str:
    """What the gates said, in full: of what waits for a person the outcome is `allowed`."""
    said = event.metadata.get("decision")
    return str(DecisionOutcome(said).label) if said in DecisionOutcome.values else ""


def outcome_of(event: AuditEvent) -> Label:
    if said := decision_of(event):
        return Label(event.metadata["decision"], said)
    return Label(event.outcome, event.get_outcome_display())
