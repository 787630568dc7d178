"""Whether a reminder may be written: asked as its job is made and as each attempt starts."""

from collections.abc import Callable

from django.utils.translation import gettext as _

from agents.models import Agent, Conversation
from agents.reminders.payload import ReminderPayload
from config.base.models import User
from jobs.errors import PermanentFailure
from jobs.models import Job

# Raises what `jobs.handlers.Handler.check_permission` may raise; reads, and writes nothing.
type ReminderPolicy = Callable[[Job, ReminderPayload], object]


def require_reminder_permission(job: Job, payload: ReminderPayload, policy: ReminderPolicy) -> None:
    """Raises `PermanentFailure` (owner_missing, agent_gone, conversation_gone), and what `policy`
    does, which is asked last.
    """
    owner = _require_owner(job)
    if not Agent.objects.for_user(owner).filter(pk=payload.agent_id).exists():
        message = _("This agent is not available to you any more.")
        raise PermanentFailure(message, code="agent_gone")
    own = Conversation.objects.for_user(owner).filter(agent=payload.agent_id)
    if not own.filter(pk=payload.conversation_id).exists():
        message = _("The conversation with this agent is gone.")
        raise PermanentFailure(message, code="conversation_gone")
    policy(job, payload)


def _require_owner(job: Job) -> User:
    if job.owner is None:
        raise PermanentFailure(_("Nobody is to be reminded."), code="owner_missing")
    return job.owner
