from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from config.base.errors import NotFound
from config.base.models import User
from skills.models import WorkflowMove, WorkflowSession

MOST_OPEN = 50  # of one conversation; the older ones are in the list of all that go on


def get_session(user: User, session_id: UUID) -> WorkflowSession:
    """Raises `NotFound` for what is not this user's."""
    session = WorkflowSession.objects.for_user(user).filter(pk=session_id).first()
    if session is None:
        raise NotFound
    return session


def list_open(user: User, conversation_id: UUID) -> list[WorkflowSession]:
    """The active one first, then the paused ones, the last that was touched before the others."""
    rows = WorkflowSession.objects.for_user(user).open().filter(conversation_id=conversation_id)
    return list(rows.order_by("state", "-updated_at", "-pk")[:MOST_OPEN])


def list_going_on(user: User, now: datetime) -> QuerySet[WorkflowSession]:
    """Active and paused, in any conversation, the last that was touched first."""
    rows = WorkflowSession.objects.for_user(user).open().filter(expires_at__gt=now)
    return rows.order_by("-updated_at", "-pk")


def find_move(user: User, message_id: UUID) -> WorkflowMove | None:
    """What this message has set going, if it came before."""
    moves = WorkflowMove.objects.filter(message_id=message_id, session__user=user)
    return moves.select_related("session").first()
