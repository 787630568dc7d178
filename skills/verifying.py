"""Verification by an operator: its outcome is an audit event like any other."""

from config.base import audit
from config.base.actor import Actor
from skills.models import AuditEvent
from skills.verify import Report, verify_audit

VERIFIED = "audit.verified"


def verify_and_record(actor: Actor, head: str = "") -> Report:
    """Raises `ValueError` for a head that is none."""
    report = verify_audit(head)
    audit.record(
        VERIFIED,
        audit.Outcome.FAILED if report.problem_count else audit.Outcome.SUCCEEDED,
        actor=actor,
        reason_code=report.problems[0].kind.value if report.problems else "",
        metadata={
            "events": report.events,
            "seals": report.seals,
            "unsealed": report.unsealed,
            "problems": report.problem_count,
            "head": report.head,
        },
    )
    return report


def last_verification() -> AuditEvent | None:
    return AuditEvent.objects.filter(action=VERIFIED).order_by("-pk").first()
