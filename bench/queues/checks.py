"""That ours took the whole way: what is quick because something was left out is no measurement."""

from django.db.models import Sum

from agents.models import Conversation, Message
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt
from skills.models import AuditEvent


def check_ours(sent: int) -> None:
    """Raises when a job was lost, tried twice, or not written down."""
    counts = {
        "jobs completed at once": Job.objects.filter(
            status=JobStatus.COMPLETED, attempts=1, last_error_code=""
        ).count(),
        "attempts": JobAttempt.objects.filter(outcome=AttemptOutcome.COMPLETED).count(),
        "audit events": AuditEvent.objects.filter(action="job.executed", target_type="job").count(),
    }
    wrong = {what: count for what, count in counts.items() if count != sent}
    if wrong:
        raise SystemExit(f"of {sent} jobs: {wrong}")
    written = Message.objects.filter(pk__in=Job.objects.values("pk")).count()
    counted = Conversation.objects.aggregate(total=Sum("message_count"))["total"]
    if not written == counted == Message.objects.count():
        raise SystemExit(f"{written} messages of jobs, {counted} counted")
