"""What runs the jobs of a background skill."""

from collections.abc import Mapping

from pydantic import JsonValue

from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError
from jobs.handlers import Handler, JobCall
from jobs.models import Job
from skills.background.deciding import (
    hold_permissions,
    record_decision,
    require_permission,
    require_permission_of,
)
from skills.background.pinned import pinned_skill, pinned_version
from skills.background.uses import keep_failed_use, keep_use
from skills.definitions import BackgroundContext, BackgroundPayload
from skills.registry import find_skill


class SkillHandler[PayloadT: BackgroundPayload](Handler[PayloadT]):
    """Its `kind` is the skill's id, its `payload_model` and `max_attempts` are the skill's."""

    def check_permission(self, job: Job, payload: PayloadT) -> None:
        require_permission(job, payload)

    def audit_facts(self, job: Job) -> Mapping[str, str]:
        """Until its row is there, it is of the newest version."""
        newest = find_skill(self.kind)
        version = pinned_version(job) or (newest.manifest.version if newest else "")
        return {"skill": self.kind, "skill_version": version}

    def attempt_failed(self, job: Job, error: GatehouseError) -> None:
        keep_failed_use(job, error)

    def apply(self, call: JobCall[PayloadT], prepared: None) -> JsonValue:
        """Judged here again: a permission taken back since it began keeps all of it away, and none
        is taken back between this judgement and the end of the transaction.
        """
        skill = pinned_skill(call.job)
        if call.job.owner is not None:
            hold_permissions(skill.manifest, call.job.owner)
        decision = require_permission_of(skill, call.job, call.payload)
        actor = self._actor(call)
        record_decision(skill.manifest, decision, actor, ("job", call.id))
        skill.execute(BackgroundContext(actor=actor, job_id=call.id, payload=call.payload))
        keep_use(call.job)
        return self.result(call)

    def result(self, call: JobCall[PayloadT]) -> JsonValue:
        """What the job's owner is told of it."""
        return None

    def _actor(self, call: JobCall[PayloadT]) -> Actor:
        assert call.job.owner is not None  # it was asked for
        return Actor(
            call.job.owner,
            Origin.JOB,
            agent_id=call.payload.agent_id,
            conversation_id=call.payload.conversation_id,
        )
