"""What runs the jobs of a background skill."""

import time
from collections.abc import Mapping

from pydantic import JsonValue

from config.base.actor import Actor, Origin
from jobs.handlers import Handler, JobCall
from jobs.models import Job
from skills.background.deciding import (
    record_decision,
    require_permission,
    require_permission_of,
)
from skills.background.pinned import AnyBackgroundSkill, pinned_skill, pinned_version
from skills.context import SkillContext
from skills.definitions import BackgroundContext, BackgroundPayload
from skills.enums import RunStatus, SkillScope
from skills.registry import find_skill
from skills.runs import close_run, open_run


class SkillHandler[PayloadT: BackgroundPayload](Handler[PayloadT]):
    """Its `kind` is the skill's id, its `payload_model` and `max_attempts` are the skill's."""

    def check_permission(self, job: Job, payload: PayloadT) -> None:
        require_permission(job, payload)

    def audit_facts(self, job: Job) -> Mapping[str, str]:
        """Until its row is there, it is of the newest version."""
        newest = find_skill(self.kind)
        version = pinned_version(job) or (newest.manifest.version if newest else "")
        return {"skill": self.kind, "skill_version": version}

    def apply(self, call: JobCall[PayloadT], prepared: None) -> JsonValue:
        """Judged here again: a permission taken back since it began keeps all of it away."""
        started, payload, skill = time.monotonic(), call.payload, pinned_skill(call.job)
        decision = require_permission_of(skill, call.job, payload)
        actor = self._actor(call)
        record_decision(skill.manifest, decision, actor, ("job", call.id))
        skill.execute(BackgroundContext(actor=actor, job_id=call.id, payload=payload))
        _keep_run(skill, actor, started)
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


def _keep_run(skill: AnyBackgroundSkill, actor: Actor, started: float) -> None:
    """With the effects, or not at all; how other attempts ended is told by the job."""
    context = SkillContext(actor=actor, scope=SkillScope.BACKGROUND)
    close_run(open_run(skill, context), RunStatus.SUCCEEDED, started=started)
