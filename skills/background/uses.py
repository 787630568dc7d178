"""The rows that say that a background skill was used: one for each attempt, however it ended."""

from datetime import datetime

from django.utils import timezone

from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError
from jobs.errors import HandlerTimedOut
from jobs.models import Job
from skills.background.deciding import NotGranted, record_decision
from skills.background.pinned import pinned_skill
from skills.enums import RunStatus, SkillKind
from skills.models import SkillJob, SkillRun


def keep_use(job: Job) -> None:
    """With the effects, or not at all."""
    kept = SkillJob.objects.of_job(job).select_related("user").get()
    _keep(job, kept, RunStatus.SUCCEEDED)


def keep_failed_use(job: Job, error: GatehouseError) -> None:
    """With the end of the attempt; of a refusal the decision is on record, too.

    A job that was made past its skill is no use of it.
    """
    kept = SkillJob.objects.of_job(job).select_related("user").first()
    if kept is None:
        return
    _keep(job, kept, _status_of(error), error.code)
    if isinstance(error, NotGranted):
        actor = Actor(
            kept.user,
            Origin.JOB,
            agent_id=kept.agent_id,
            conversation_id=kept.conversation_id,
        )
        record_decision(pinned_skill(job).manifest, error.decision, actor, ("job", job.pk))


def _status_of(error: GatehouseError) -> RunStatus:
    if isinstance(error, NotGranted):
        return RunStatus.DENIED
    return RunStatus.TIMEOUT if isinstance(error, HandlerTimedOut) else RunStatus.FAILED


def _keep(job: Job, kept: SkillJob, status: RunStatus, error_code: str = "") -> None:
    """Its number counts attempts from 0; one that might not begin is the one it would have been."""
    begun = job.started_at
    run = SkillRun.objects.create(
        user=kept.user,
        agent_id=kept.agent_id,
        conversation_id=kept.conversation_id,
        number=job.attempts - 1 if begun else job.attempts,
        skill_id=kept.skill_id,
        version=kept.version,
        kind=SkillKind.BACKGROUND,
        status=status,
        error_code=error_code[:100],
        duration_ms=_milliseconds_since(begun),
        finished_at=timezone.now(),
    )
    if begun:
        SkillRun.objects.filter(pk=run.pk).update(started_at=begun)


def _milliseconds_since(begun: datetime | None) -> int:
    """Told, never decided by: the database's clock may be another one."""
    spent = (timezone.now() - begun).total_seconds() if begun else 0
    return max(int(spent * 1000), 0)
