"""Receipts of effects that came after their call had been told otherwise.

A retry that succeeds, or a person who says "it was done", closes a call whose run was told that it
failed, or was stopped; a skill's call waits while its run goes on: the conversation then says what
happened, once. What a workflow has written its run says itself, unless it had ended by then.
Derived from drafts, calls and steps, so that a process that died before saying it is made good by
the sweep.
"""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _

from agents.models import Conversation, Message, MessageRole, Run, RunSkill, RunStatus, RunStep
from agents.runs.keys import parse_call_key
from agents.runs.messages import add_message
from config.base.actor import Origin
from skills.instructions import WAITING
from tools.enums import DraftState
from tools.models import ActionDraft, ToolCall

_LOOK_BACK = timedelta(hours=1)  # the sweep comes every few seconds


def write_missing_receipts(limit: int = 50) -> int:
    """The sweep's part; each receipt is written once, whoever comes first."""
    written = Message.objects.filter(draft_id=OuterRef("pk"), role=MessageRole.RECEIPT)
    drafts = ActionDraft.objects.filter(
        ~Exists(written),
        state=DraftState.EXECUTED,
        updated_at__gt=Now() - _LOOK_BACK,
        call__run_id__isnull=False,
    ).select_related("call", "owner")
    return sum(write_receipt(draft) for draft in drafts.order_by("-updated_at")[:limit])


def write_receipt(draft: ActionDraft) -> bool:
    """Whether one was needed and written now."""
    run = Run.objects.filter(pk=draft.call.run_id).first() if draft.call.run_id else None
    if run is None or run.conversation_id is None or draft.state != DraftState.EXECUTED:
        return False
    with transaction.atomic(), translation.override(draft.owner.language):
        conversation = Conversation.objects.select_for_update().get(pk=run.conversation_id)
        done = Message.objects.filter(draft_id=draft.pk, role=MessageRole.RECEIPT).exists()
        if done or not _was_told_otherwise(run, draft):
            return False
        add_message(
            conversation,
            MessageRole.RECEIPT,
            receipt_text(draft),
            provenance=sorted({*draft.provenance, *(draft.result or {}).get("provenance", ())}),
            draft_id=draft.pk,
        )
    return True


def receipt_text(draft: ActionDraft) -> str:
    """What was done, with the real id, revision or status: the model reads it, too."""
    receipt: dict[str, Any] = draft.receipt or {}
    facts = ", ".join(f"{k} {v}" for k, v in receipt.items() if isinstance(v, str | int))
    title = draft.plan["title"]
    if receipt.get("resolved_by_person"):
        return _("%(title)s: you said that it was done.") % {"title": title}
    return _("%(title)s: done (%(facts)s).") % {"title": title, "facts": facts}


def _was_told_otherwise(run: Run, draft: ActionDraft) -> bool:
    """The run's step holds another result for this call, or the run ended without any; of a
    skill's it was told that it waits.
    """
    if draft.call.origin == Origin.WORKFLOW:
        return run.is_finished and not _ended_by_telling(run, draft)
    place = parse_call_key(draft.call.idempotency_key)
    if place is None:
        return bool(draft.call.skill) and run.is_finished and _was_told_to_wait(run)
    _run_id, n, index = place
    step = RunStep.objects.filter(run=run, n=n).first()
    told = step.results.get(str(index)) if step else None
    return run.is_finished if told is None else not told.get("success")


def _ended_by_telling(run: Run, draft: ActionDraft) -> bool:
    """A workflow's run goes on once its call has ended, and its answer says how."""
    later = ToolCall.objects.filter(pk=draft.call_id, finished_at__gt=run.finished_at)
    return run.status == RunStatus.COMPLETED and not later.exists()


def _was_told_to_wait(run: Run) -> bool:
    """Or it was stopped before it was told anything."""
    told = RunSkill.objects.filter(run=run).values_list("instruction", flat=True).first()
    return told in (None, WAITING)
