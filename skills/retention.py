"""Dropping old events, in whole sealed segments; their seals stay, so the chain still verifies."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from config.base import audit
from config.base.actor import Actor
from skills.models import AuditEvent, AuditSeal
from skills.sealer import last_seal, take_turn
from skills.seals import make_seal
from skills.triggers import lifted_triggers

SEGMENTS = 10  # of up to a thousand events, dropped at once: so long do writers wait


def drop_old_events() -> int:
    """For housekeeping: some of what is older than settings.AUDIT_DAYS; 0 keeps everything."""
    if not settings.AUDIT_DAYS:
        return 0
    now = timezone.now()
    before = now - timedelta(days=settings.AUDIT_DAYS)
    return drop_events_sealed_before(before, now=now, actor=None, segments=SEGMENTS)


@transaction.atomic
def drop_events_sealed_before(
    when: datetime, *, now: datetime, actor: Actor | None, segments: int | None = None
) -> int:
    """Delete the events of all segments sealed before `when`, or of the first so many of them; how
    many events they were.

    A seal of its own says what was dropped, or verification would call it deleted. The one place
    that lifts the triggers: within this transaction, which on PostgreSQL makes writers of audit
    events wait until it is over.
    """
    take_turn(wait=True)
    newest, last = last_seal(), _last_to_drop(when, segments)
    if newest is None or last is None:
        return 0
    with lifted_triggers(connection, of=AuditEvent):
        # Django's own query set: the model's refuses.
        dropped, _ = QuerySet(AuditEvent).filter(pk__lte=last.last_event).delete()
    make_seal(newest, [], now=now, dropped_through=last.n).save()
    audit.record(
        "audit.events_dropped",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("audit_seal", str(last.n)),
        metadata={"events": dropped, "sealed_before": when},
    )
    return dropped


def _last_to_drop(when: datetime, segments: int | None) -> AuditSeal | None:
    """None if everything sealed before `when` has been dropped already."""
    dropped = AuditSeal.objects.aggregate(through=Max("dropped_through"))["through"] or 0
    old = AuditSeal.objects.filter(sealed_at__lt=when, event_count__gt=0, n__gt=dropped)
    numbers = list(old.order_by("n").values_list("n", flat=True)[:segments])
    return AuditSeal.objects.defer("entries").get(n=numbers[-1]) if numbers else None
