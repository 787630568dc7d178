import uuid
from datetime import datetime

from django.db.models import Q, QuerySet

from config.base.audit import Outcome
from config.base.models import User
from skills.models import AuditEvent, AuditSubject
from tools.enums import DecisionOutcome

DECISIONS = ("policy.decided", "policy.previewed")


def list_events(
    *,
    user: User | None = None,
    action: str = "",
    outcome: Outcome | None = None,
    run_id: uuid.UUID | None = None,
    target_id: uuid.UUID | str = "",
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[AuditEvent]:
    """Newest first; `user` is who acted, the times bound `recorded_at` (since <= t < until)."""
    wanted = {
        "action": action,
        "outcome": outcome,
        "run_id": run_id,
        "target_id": str(target_id),
        "recorded_at__gte": since,
        "recorded_at__lt": until,
    }
    events = AuditEvent.objects.filter(**{name: value for name, value in wanted.items() if value})
    if user is not None:
        # Each event without a subject is the system's: never those of somebody without one.
        events = events.filter(subject__in=AuditSubject.objects.filter(user=user).values("pk"))
    return events


def decided(outcome: DecisionOutcome) -> Q:
    """Events of decisions that came out so."""
    return Q(action__in=DECISIONS, metadata__decision=outcome.value)
