"""Writing a reminder into its conversation: once, however often its job begins anew."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.models import Conversation, Message, MessageRole
from agents.reminders.text import render_reminder
from config.base import audit
from config.base.actor import Actor
from config.base.faults import fault_point
from config.base.provenance import Provenance
from jobs.errors import PermanentFailure

_REPLIES = (MessageRole.ASSISTANT, MessageRole.REMINDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    message_id: UUID
    is_new: bool


@transaction.atomic
def write_reminder(
    job_id: UUID,
    *,
    actor: Actor,
    conversation_id: UUID,
    note: str,
    skill: str = "",
    skill_version: str = "",
) -> Written:
    """The message has the job's id, so there is never a second one, and a repeat mends what is
    said of the conversation where an earlier run got no further than the message.

    In the language of the actor's user. Raises `PermanentFailure` (conversation_gone).
    """
    rows = Conversation.objects.for_user(actor.user).select_for_update()
    conversation = rows.filter(pk=conversation_id).first()
    if conversation is None:
        message = _("The conversation with this agent is gone.")
        raise PermanentFailure(message, code="conversation_gone")
    is_new = _insert(job_id, conversation, render_reminder(note, actor.user.language))
    fault_point("reminder.inserted")
    if recount(conversation) or is_new:
        audit.record(
            "reminder.written",
            audit.Outcome.SUCCEEDED,
            actor=actor,
            target=("message", job_id),
            skill=skill,
            skill_version=skill_version,
            reason_code="" if is_new else "recounted",
            metadata={"conversation": str(conversation.pk)},
        )
    return Written(message_id=job_id, is_new=is_new)


def recount(conversation: Conversation) -> bool:
    """Count what stands in it beyond what was counted, within a transaction that holds its row.

    Whether there was any. What was read stays read: only uncounted messages become unread.
    """
    messages = Message.objects.filter(conversation=conversation)
    new = list(
        messages.filter(position__gt=conversation.message_count)
        .order_by("position")
        .values_list("position", "role")
    )
    if not new:
        return False
    said = [position for position, role in new if role == MessageRole.USER]
    unread = len(new) if not said else sum(position > said[-1] for position, _role in new)
    conversation.message_count = new[-1][0]
    conversation.unread = unread if said else conversation.unread + unread
    last = messages.filter(role__in=_REPLIES).order_by("-position").first()
    if last is not None:
        conversation.last_reply_at = last.created_at
        conversation.last_reply_text = " ".join(last.text.split())[:200]
    conversation.updated_at = timezone.now()
    conversation.save(
        update_fields=[
            "message_count",
            "unread",
            "last_reply_at",
            "last_reply_text",
            "updated_at",
        ]
    )
    return True


def _insert(job_id: UUID, conversation: Conversation, text: str) -> bool:
    """Whether it is new. Its place is after what stands there, counted or not."""
    messages = Message.objects.filter(conversation=conversation)
    if Message.objects.filter(pk=job_id).exists():
        return False
    newest = messages.aggregate(newest=Max("position"))["newest"] or 0
    Message.objects.create(
        pk=job_id,
        conversation=conversation,
        position=newest + 1,
        role=MessageRole.REMINDER,
        text=text,
        provenance=[Provenance.OWN],
    )
    return True
