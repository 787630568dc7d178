from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from agents.reminders.payload import ReminderPayload
from agents.reminders.permission import (
    ReminderPolicy,
    nothing_more,
    require_owner,
    require_reminder_permission,
)
from agents.reminders.writing import write_reminder
from config.base.actor import Actor, Origin
from jobs.handlers import Handler, JobCall
from jobs.models import Job
from jobs.registry import register

CHECK_IN = "goal-check-in-reminder"


@register
class GoalCheckIn(Handler[ReminderPayload]):
    kind = CHECK_IN
    description = _("Reminds a person, in their conversation with an agent, to look at a goal.")
    payload_model = ReminderPayload
    policy: ReminderPolicy = staticmethod(nothing_more)

    def check_permission(self, job: Job, payload: ReminderPayload) -> None:
        require_reminder_permission(job, payload, self.policy)

    def apply(self, call: JobCall[ReminderPayload], prepared: None) -> JsonValue:
        payload = call.payload
        actor = Actor(
            require_owner(call.job),
            Origin.JOB,
            agent_id=payload.agent_id,
            conversation_id=payload.conversation_id,
        )
        written = write_reminder(
            call.id,
            actor=actor,
            conversation_id=payload.conversation_id,
            note=payload.note,
            skill=self.kind,
        )
        return {"message_id": str(written.message_id)}
