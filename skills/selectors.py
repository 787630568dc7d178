import uuid
from datetime import datetime

from django.db.models import Case, CharField, Count, F, Func, Q, QuerySet, When
from django.db.models.functions import Cast

from config.base.audit import Outcome
from config.base.models import User
from skills.models import AuditEvent, AuditSubject
from tools.enums import DecisionOutcome

DECISIONS = ("policy.decided", "policy.previewed")
# Each refusal has its decision, and of a call that was refused the call's own event tells again;
# nothing was tried by what an operator only looked at.
PREVIEWED, TOLD_AGAIN = "policy.previewed", "tool.call.denied"


def _literal(text: str) -> Func:
    """No bound parameter: by those SQLite finds no partial index."""
    return Func(template=f"'{text}'", output_field=CharField())


# The conditions of partial indexes, to the letter.
IS_DENIED = Q(outcome=_literal("denied"))
IS_UNUSUAL = Q(outcome__gte=_literal("cancelled"), outcome__lte=_literal("failed"))
IS_REFUSED = IS_DENIED & ~Q(action=PREVIEWED)
UNUSUAL_OUTCOMES = frozenset({Outcome.CANCELLED, Outcome.DENIED, Outcome.FAILED})


def has_outcome(value: str) -> Q:
    """By its index, if it is one that few events have."""
    return Q(outcome=value) & IS_UNUSUAL if value in UNUSUAL_OUTCOMES else Q(outcome=value)


def is_of(column: str, value: str) -> Q:
    """Of this `tool`, `skill` or `reason_code`, by its index."""
    return Q(**{column: value, f"{column}__gt": _literal("")})


def list_denials(
    *,
    subject: uuid.UUID | None = None,
    tool: str = "",
    skill: str = "",
    reason_code: str = "",
) -> QuerySet[AuditEvent]:
    """What was refused, each once; what is empty matches everything."""
    by_index = Q(subject=subject) if subject else IS_UNUSUAL
    events = AuditEvent.objects.filter(IS_REFUSED, by_index).exclude(action=TOLD_AGAIN)
    wanted = {"tool": tool, "skill": skill, "reason_code": reason_code}
    return events.filter(**{name: value for name, value in wanted.items() if value})


def count_refusals() -> Count:
    """Of any events that were refused: those of one call are one, whichever of them are there."""
    is_of_call = Q(target_type="tool_call", target_id__gt="")
    return Count(
        Case(When(is_of_call, then=F("target_id")), default=Cast("pk", CharField())), distinct=True
    )


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
    said = Q(metadata__decision=outcome.value)
    if outcome == DecisionOutcome.DENY:
        said = has_outcome(Outcome.DENIED.value)
    return Q(action__in=DECISIONS) & said
