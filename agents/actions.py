"""A person's decisions on drafts, and what they set going: the run goes on, or a receipt is kept.

`tools` never calls up: it commits the decision, and this wakes the run whose call it closed.
"""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from agents.receipts import write_receipt
from config.base.actor import Actor
from config.base.idempotency import check_key
from config.base.wake import wake
from skills.runs import settle_run
from tools import drafts
from tools.approvals.terms import Remember
from tools.models import ActionDraft
from tools.schemas import JSON


def _going_on[**P](decide: Callable[P, ActionDraft]) -> Callable[P, ActionDraft]:
    """Afterwards the run may go on, also when a refusal closed its call (expired, denied)."""

    @wraps(decide)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> ActionDraft:
        try:
            draft = decide(*args, **kwargs)
            settle_run(draft.call)
            write_receipt(draft)
            return draft
        finally:
            wake()

    return wrapper


@_going_on
def confirm(
    actor: Actor,
    draft_id: UUID,
    *,
    expected_version: int,
    idempotency_key: str,
    arguments: JSON | None = None,
    remember: Remember | None = None,
) -> ActionDraft:
    """See `tools.drafts.confirm_draft` for what it raises."""
    return drafts.confirm_draft(
        actor,
        draft_id,
        expected_version=expected_version,
        idempotency_key=check_key(idempotency_key),
        arguments=arguments,
        remember=remember,
    )


@_going_on
def dismiss(actor: Actor, draft_id: UUID, *, reason: str = "") -> ActionDraft:
    return drafts.dismiss_draft(actor, draft_id, reason=reason)


@_going_on
def respond(actor: Actor, draft_id: UUID, *, message: str) -> ActionDraft:
    return drafts.respond_to_draft(actor, draft_id, message=message)


@_going_on
def resolve(actor: Actor, draft_id: UUID, *, expected_version: int, done: bool) -> ActionDraft:
    return drafts.resolve_draft(actor, draft_id, expected_version=expected_version, done=done)


@_going_on
def revise(actor: Actor, draft_id: UUID, *, expected_version: int, arguments: JSON) -> ActionDraft:
    return drafts.revise_draft(
        actor, draft_id, expected_version=expected_version, arguments=arguments
    )
