"""Who acts in a run: the owner, through the agent, in the role that they had when it began."""

from collections.abc import Iterable

from agents.models import Run
from config.base.actor import Actor, Origin
from config.base.models import Membership, Project, User


def actor_of(run: Run) -> Actor:
    return Actor(
        user=run.owner,
        origin=Origin(run.origin),
        role=run.role,
        agent_id=run.agent_id,
        conversation_id=run.conversation_id,
        run_id=run.pk,
    )


def role_in(project: Project | None, user: User, memberships: Iterable[Membership]) -> str:
    """Empty for somebody who is not in it; staff act as operators, never as somebody."""
    if user.is_staff:
        return "operator"
    return next((one.role for one in memberships if one.project == project), "")
