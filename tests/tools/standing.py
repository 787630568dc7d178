"""An agent of alice's that asks before it renames, and a person who says: not again."""

from typing import Any
from uuid import UUID, uuid4

from config.base.actor import Origin
from config.base.ids import uuid7
from config.base.models import User
from tests.tools.conftest import actor_of, parked, run
from tools.approvals.terms import ApprovalScope, Remember
from tools.drafts import confirm_draft
from tools.models import ActionDraft, StandingApproval, Tool
from tools.outcomes import CallOutcome

AGENT, OTHER_AGENT = uuid4(), uuid4()
HERE, ELSEWHERE = uuid4(), uuid4()


def agent_of(user: User, agent: UUID = AGENT, conversation: UUID | None = HERE) -> Any:
    return actor_of(user, Origin.CHAT, agent_id=agent, conversation_id=conversation)


def call(tool: Tool, user: User, word: str = "Atlas", **values: Any) -> CallOutcome:
    values.setdefault("actor", agent_of(user))
    return run(tool, user, word, **values)


def asked(tool: Tool, user: User, word: str = "Atlas", **values: Any) -> ActionDraft:
    values.setdefault("actor", agent_of(user))
    return parked(tool, user, word, **values)


def confirm(draft: ActionDraft, by: User, remember: Remember | None = None, **facts: Any) -> Any:
    return confirm_draft(
        actor_of(by),
        draft.pk,
        expected_version=facts.pop("version", draft.version),
        idempotency_key=facts.pop("key", str(uuid7())),
        remember=remember,
        **facts,
    )


def give(tool: Tool, user: User, *, word: str = "Given", **terms: Any) -> StandingApproval:
    """By confirming a call of the tool, as people do."""
    context = terms.pop("context", {})
    terms.setdefault("scope", ApprovalScope.CONVERSATION)
    draft = asked(tool, user, word, **context)
    confirm(draft, user, Remember(**terms))
    return StandingApproval.objects.get(draft=draft)
