from django.utils.translation import gettext_lazy as _

from config.base.errors import Bug, Conflict, InvalidInput, NotFound, NotPermitted


class AppendOnly(Bug):
    """Audit events and seals are never changed or deleted."""

    code = "append_only"


class MetadataRefused(Bug):
    """An audit event's metadata must be small JSON without content."""

    code = "audit_metadata_refused"


class UnknownSkill(NotFound):
    default_message = _("There is no such skill, or not in this version.")
    code = "unknown_skill"


class UndeclaredPermission(InvalidInput):
    default_message = _("The skill does not ask for this permission.")
    code = "permission_not_declared"


class NothingToGrant(InvalidInput):
    default_message = _("You are asked each time this is done; it can’t be granted beforehand.")
    code = "asked_each_time"


class AgentNotYours(NotFound):
    default_message = _("There is no such agent, or you may not use it.")
    code = "agent_not_found"


class NotInBackground(InvalidInput):
    default_message = _("This skill does not work in the background.")
    code = "skill_not_background"


class SkillOff(NotPermitted):
    default_message = _("This skill is switched off.")
    code = "skill_disabled"


class PermissionMissing(NotPermitted):
    default_message = _("A permission is missing.")
    code = "permission_missing"


class OneTimeOrRecurrence(InvalidInput):
    default_message = _("Say either a time or a recurrence.")
    code = "one_time_or_recurrence"


class NotRecurring(Conflict):
    default_message = _("This job does not recur: it is of no series.")
    code = "not_recurring"


class TooSoon(InvalidInput):
    default_message = _("At least a minute ahead.")
    code = "too_soon"


class TooOften(InvalidInput):
    default_message = _("A series has at least 15 minutes from one time to the next.")
    code = "too_often"


class AnswerRefused(InvalidInput):
    """What a person says is no answer to a workflow's step; nothing has changed."""

    default_message = _("That is no answer.")
    code = "answer_refused"


class StepNeeded(InvalidInput):
    default_message = _("This can’t be left out.")
    code = "step_needed"


class WorkflowOver(Conflict):
    default_message = _("This workflow has ended.")
    code = "workflow_over"


class WorkflowPaused(Conflict):
    default_message = _("This workflow is paused.")
    code = "workflow_paused"


class WorkflowActive(Conflict):
    default_message = _("Another workflow is under way in this conversation.")
    code = "workflow_active"


class WorkflowChanged(Conflict):
    default_message = _("This workflow has changed since you last looked.")
    code = "workflow_changed"


class WorkflowNotReady(Conflict):
    default_message = _("Something is not answered yet.")
    code = "workflow_not_ready"


class EvaluatedElsewhere(Conflict):
    default_message = _("It is being evaluated by others right now; look at their result.")
    code = "evaluated_elsewhere"
