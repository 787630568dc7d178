"""How a run ends or pauses; each is one fenced transaction."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from agents.models import Conversation, Message, MessageRole, ResponseStatus, Run, RunStatus
from agents.runs import events
from agents.runs.actors import actor_of
from agents.runs.fence import RunFence
from agents.runs.messages import add_message
from agents.runs.response import build_response
from config.base import audit
from config.base.actor import Actor
from config.base.errors import LeaseLost, NotFound
from skills.enums import RunStatus as UseStatus
from skills.runs import close_left_runs
from tools.drafts import close_calls_of_run


def complete(
    fence: RunFence, text: str, *, provenance: frozenset[str], warnings: list[str]
) -> None:
    """The answer becomes a message; the response is the run's last event."""
    with transaction.atomic():
        run = _locked(fence)
        if run.conversation_id:
            _add_answer(run, run.conversation_id, text, provenance)
        run.warnings = warnings
        _close(run, RunStatus.COMPLETED, ResponseStatus.COMPLETED)


def _add_answer(run: Run, conversation_id: UUID, text: str, provenance: frozenset[str]) -> None:
    add_message(
        _locked_conversation(conversation_id),
        MessageRole.ASSISTANT,
        text,
        run=run,
        provenance=sorted(provenance),
        last_reply_text=" ".join(text.split())[:200],
        last_reply_at=Now(),
    )


def fail(fence: RunFence, code: str, message: str, *, unavailable: bool) -> None:
    """The conversation goes on: it says what happened, and the next message is welcome."""
    with transaction.atomic():
        run = _locked(fence)
        run.error_code, run.error_message = code, message[:500]
        if run.conversation_id:
            add_message(
                _locked_conversation(run.conversation_id), MessageRole.NOTICE, message, run=run
            )
        status = ResponseStatus.UNAVAILABLE if unavailable else ResponseStatus.FAILED
        _close(run, RunStatus.FAILED, status)


def pause(fence: RunFence) -> None:
    """Wait for a person: let go of the lease; whoever finds no open call any more goes on.

    Streams end here, and their last event says so.
    """
    with transaction.atomic():
        run = _locked(fence)
        _store(run, status=RunStatus.WAITING)
        events.note(run, "run.paused", build_response(run))


def cancel_run(actor: Actor, run_id: UUID) -> Run:
    """Stop a run at once; its driver finds the revision gone and does nothing more.

    A run that is over stays as it is. Raises `NotFound` for what is not this user's.
    """
    with transaction.atomic():
        rows = Run.objects.for_user(actor.user).select_for_update(of=("self",))
        run = rows.select_related("owner", "agent").filter(pk=run_id).first()
        if run is None:
            raise NotFound
        if run.is_finished:
            return run
        run.revision += 1
        Run.objects.filter(pk=run.pk).update(revision=run.revision)
        close_calls_of_run(actor, run.pk)
        if run.conversation_id:
            add_message(
                _locked_conversation(run.conversation_id),
                MessageRole.NOTICE,
                _("Stopped."),
                run=run,
            )
        _close(run, RunStatus.CANCELLED, ResponseStatus.CANCELLED, by=actor)
    return run


def _locked(fence: RunFence) -> Run:
    """The run as it stands, held until the transaction ends; raises `LeaseLost`."""
    rows = fence.held().select_for_update(of=("self",))
    run = rows.select_related("owner__audit_subject").first()
    if run is None:
        raise LeaseLost
    return run


def _locked_conversation(conversation_id: UUID) -> Conversation:
    return Conversation.objects.select_for_update().get(pk=conversation_id)


def _close(
    run: Run, status: RunStatus, response_status: ResponseStatus, *, by: Actor | None = None
) -> None:
    _store(
        run,
        status=status,
        response_status=response_status,
        error_code=run.error_code,
        error_message=run.error_message,
        warnings=run.warnings,
        finished_at=Now(),
    )
    if status != RunStatus.COMPLETED:
        _close_uses(run, status)
    events.note(run, "run.finished", build_response(run))
    audit.record(
        "run.finished",
        _AUDIT[status],
        actor=by or actor_of(run),
        target=("run", run.pk),
        reason_code=run.error_code,
        metadata={"status": response_status, "tools": run.tools, "model": run.model},
    )


def _close_uses(run: Run, status: RunStatus) -> None:
    """Of skills, that were begun for its message and can't come to an end any more."""
    asked = Message.objects.filter(run=run, role=MessageRole.USER).values("pk")
    close_left_runs(_USES[status], user=run.owner_id, message_id__in=asked)


_USES = {
    RunStatus.FAILED: UseStatus.FAILED,
    RunStatus.CANCELLED: UseStatus.CANCELLED,
}
_AUDIT: dict[Any, audit.Outcome] = {
    RunStatus.COMPLETED: audit.Outcome.SUCCEEDED,
    RunStatus.FAILED: audit.Outcome.FAILED,
    RunStatus.CANCELLED: audit.Outcome.CANCELLED,
}


def _store(run: Run, *, status: RunStatus, response_status: str = "", **changes: Any) -> None:
    """Nobody drives it any more; its next event is numbered in the same statement."""
    run.status, run.response_status = status, response_status
    run.lease_owner, run.lease_expires_at = "", None
    run.last_seq += 1
    Run.objects.filter(pk=run.pk).update(
        status=status,
        response_status=response_status,
        lease_owner="",
        lease_expires_at=None,
        last_seq=run.last_seq,
        **changes,
    )
