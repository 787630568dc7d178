from django.utils.translation import gettext_lazy as _
from pydantic import JsonValue

from agents.memories.retention import archive_ended_sessions, purge_old_memories
from agents.reminders.payload import ReminderPayload
from agents.reminders.permission import ReminderPolicy, require_reminder_permission
from agents.skill_definitions import CHECK_IN, GoalCheckInReminder
from agents.workflows import expire_due_workflows, purge_old_workflows
from jobs.handlers import JobCall, Recurrence
from jobs.housekeeping import Housekeeping
from jobs.models import Job
from jobs.registry import register
from skills.background.deciding import require_permission
from skills.background.handler import SkillHandler


@register
class GoalCheckIn(SkillHandler[ReminderPayload]):
    kind = CHECK_IN
    description = _("Reminds a person, in their conversation with an agent, to look at a goal.")
    payload_model = ReminderPayload
    max_attempts = GoalCheckInReminder.max_attempts
    policy: ReminderPolicy = staticmethod(require_permission)

    def check_permission(self, job: Job, payload: ReminderPayload) -> None:
        require_reminder_permission(job, payload, self.policy)

    def result(self, call: JobCall[ReminderPayload]) -> JsonValue:
        """The message has the job's id."""
        return {"message_id": str(call.id)}


@register
class Workflows(Housekeeping):
    kind = "housekeeping.workflows"
    description = _("Ends workflows that nobody went on with; throws away what old ones were told.")
    recurrence = Recurrence("7,37 * * * *")
    purges = {"expired": expire_due_workflows, "workflows": purge_old_workflows}


@register
class Memories(Housekeeping):
    kind = "housekeeping.memories"
    description = _("Archives memories of ended conversations; throws away what was archived long.")
    recurrence = Recurrence("32 * * * *")
    purges = {"archived": archive_ended_sessions, "purged": purge_old_memories}
