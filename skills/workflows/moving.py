"""How a session moves: locked, judged, stored with its move and its event; once for a message."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound
from skills.enums import MoveKind, RunStatus, SessionState
from skills.errors import WorkflowChanged, WorkflowNotReady, WorkflowOver, WorkflowPaused
from skills.models import SkillRun, WorkflowMove, WorkflowSession
from skills.workflows.cards import close_cards
from tools.enums import DismissReason

# What an open session may go to, and how that is written down of the use.
_ENDS = {
    MoveKind.CANCELLED: (SessionState.CANCELLED, RunStatus.CANCELLED, audit.Outcome.CANCELLED),
    MoveKind.ENDED: (SessionState.CANCELLED, RunStatus.FAILED, audit.Outcome.FAILED),
    MoveKind.EXPIRED: (SessionState.EXPIRED, RunStatus.EXPIRED, audit.Outcome.CANCELLED),
    MoveKind.COMPLETED: (SessionState.COMPLETED, RunStatus.SUCCEEDED, audit.Outcome.SUCCEEDED),
}

# What the card that waited says of a move that takes it.
_TAKES_CARD = {
    MoveKind.CORRECTED: DismissReason.REPLACED,
    MoveKind.WENT_BACK: DismissReason.TAKEN_BACK,
    MoveKind.ASKED: DismissReason.TAKEN_BACK,
    MoveKind.CANCELLED: DismissReason.REFUSED,
    MoveKind.ENDED: DismissReason.SKILL_GONE,
    MoveKind.EXPIRED: DismissReason.EXPIRED,
}

_LONGEST_MS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Moved:
    """The session as it stands, and the move that this message made, now or at its first coming.

    `move` is None where there was nothing to change.
    """

    session: WorkflowSession
    move: WorkflowMove | None = None

    @property
    def has_expired(self) -> bool:
        """By this move; what was to be ended in time may have been written just before."""
        return self.move is not None and self.move.kind == MoveKind.EXPIRED


@dataclass(frozen=True, slots=True)
class Change:
    """One that is asked for: who, of which session, when, and for which message if for one."""

    actor: Actor
    session_id: UUID
    now: datetime
    message_id: UUID | None = None


# Changes the locked session, and says of which step the move is; None: there is nothing to change.
type Apply = Callable[[WorkflowSession], str | None]


@transaction.atomic
def move(change: Change, kind: MoveKind, apply: Apply, *, ends: bool = False) -> Moved:
    """Of some kinds what waits to be confirmed no longer holds; has it been confirmed already, the
    session is completed instead. Raises `NotFound`, `WorkflowOver` (unless `ends`) and what
    `apply` raises.
    """
    session = lock(change.actor, change.session_id)
    if earlier := _earlier(session, change.message_id):
        return earlier
    if ends and not session.is_open:
        return Moved(session)
    if not session.is_open or (session.expires_at <= change.now and not ends):
        raise WorkflowOver
    takes = _TAKES_CARD.get(kind) if session.is_ready else None
    step = apply(session)
    if step is None:
        return Moved(session)
    if takes and close_cards(change.actor, session, takes):
        session.refresh_from_db()
        return keep(change, session, MoveKind.COMPLETED, "")
    return keep(change, session, kind, step)


def lock(actor: Actor, session_id: UUID) -> WorkflowSession:
    rows = WorkflowSession.objects.for_user(actor.user).select_for_update()
    session = rows.filter(pk=session_id).first()
    if session is None:
        raise NotFound
    return session


def keep(change: Change, session: WorkflowSession, kind: MoveKind, step: str) -> Moved:
    """Within the transaction that holds the session."""
    session.revision += 1
    state, use, outcome = _ENDS.get(kind, (session.state, None, audit.Outcome.SUCCEEDED))
    session.state = state
    if use:
        session.finished_at = change.now
        note_use(session, use, finished_at=change.now)
    else:
        session.expires_at = change.now + timedelta(hours=settings.WORKFLOW_HOURS)
    session.save()
    made = WorkflowMove.objects.create(
        session=session, n=session.revision, kind=kind, step=step, message_id=change.message_id
    )
    actor = replace(
        change.actor, agent_id=session.agent_id, conversation_id=session.conversation_id
    )
    audit.record(
        f"workflow.{kind}",
        outcome,
        actor=actor,
        target=("workflow_session", session.pk),
        skill=session.skill_id,
        skill_version=session.version,
        metadata={"step": step} if step else {},
    )
    return Moved(session, made)


def note_use(
    session: WorkflowSession,
    status: RunStatus,
    *,
    error_code: str = "",
    finished_at: datetime | None = None,
) -> None:
    """Its `SkillRun`, which was opened for the message that began it."""
    lasted = finished_at - session.created_at if finished_at else None
    SkillRun.objects.filter(
        user=session.user_id, message_id=session.message_id, skill_id=session.skill_id, number=0
    ).update(
        status=status,
        version=session.version,
        error_code=error_code[:100],
        tool_call_id=session.tool_call_id,
        finished_at=finished_at,
        duration_ms=None if lasted is None else _milliseconds(lasted),
    )


def _milliseconds(lasted: timedelta) -> int:
    """One that was gone on with for weeks lasted longer than the column can say."""
    return min(max(0, lasted // timedelta(milliseconds=1)), _LONGEST_MS)


def require_active(session: WorkflowSession) -> None:
    if session.state == SessionState.PAUSED:
        raise WorkflowPaused


def require_shown(session: WorkflowSession, revision: int, now: datetime) -> None:
    """It is as the person saw it, and nothing is left but its document. Raises `WorkflowOver`,
    `WorkflowPaused`, `WorkflowChanged`, `WorkflowNotReady`.
    """
    if not session.is_open or session.expires_at <= now:
        raise WorkflowOver
    require_active(session)
    if session.revision != revision:
        raise WorkflowChanged
    if not session.is_ready:
        raise WorkflowNotReady


def _earlier(session: WorkflowSession, message_id: UUID | None) -> Moved | None:
    if message_id is None:
        return None
    made = session.moves.filter(message_id=message_id).first()
    return Moved(session, made) if made else None
