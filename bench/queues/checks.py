"""That ours took the whole way: what is quick because something was left out is no measurement."""

from django.db.models import Sum

from agents.models import Conversation, Message
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import Job, JobAttempt
from skills.models import AuditEvent


def check_ours(sent: int) -> None:
    """Raises when a job was lost, tried twice, or not written down."""
    jobs = Job.objects.filter(kind__startswith="bench.")
    ended = JobAttempt.objects.filter(outcome=AttemptOutcome.COMPLETED, job__in=jobs)
    told = AuditEvent.objects.filter(action="job.executed", metadata__kind__startswith="bench.")
    counts = {
        "jobs completed at once": jobs.filter(status=JobStatus.COMPLETED, attempts=1).count(),
        "attempts": ended.count(),
        "audit events": told.count(),
    }
    wrong = {what: count for what, count in counts.items() if count != sent}
    if wrong:
        raise SystemExit(f"of {sent} jobs: {wrong}")
    written = Message.objects.filter(pk__in=jobs.values("pk")).count()
    counted = Conversation.objects.aggregate(total=Sum("message_count"))["total"]
    if not written == counted == Message.objects.count():
        raise SystemExit(f"{written} messages of jobs, {counted} counted")
