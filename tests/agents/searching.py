"""A search tool of the guide that asks a live server, and the calls that go through it."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.models import Agent, AgentTool, Consent, Conversation
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from tests.tools.search_servers import SearchServer
from tests.tools.secrets import operator_actor
from tools.drafts import confirm_draft
from tools.models import ActionDraft, Tool
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.schemas import CallContext
from tools.services import create_tool


def search_tool(
    server: SearchServer, operator: User, agent: Agent | None = None, slug: str = "web_search"
) -> Tool:
    tool = create_tool(
        operator_actor(operator), name=slug, slug=slug, type="web_search", config=server.config
    )
    if agent is not None:
        AgentTool.objects.create(agent=agent, tool=tool)
    return tool


def search(
    tool: Tool,
    user: User,
    conversation: Conversation | None = None,
    query: str = "platypus",
    **facts: Any,
) -> CallOutcome:
    actor = Actor(
        user=user,
        origin=Origin.CHAT,
        conversation_id=conversation.pk if conversation else None,
        agent_id=conversation.agent_id if conversation else None,
    )
    context = CallContext(actor=actor, idempotency_key=f"test:{uuid7()}", **facts)
    return call_tool(tool, {"query": query}, context)


def allow(draft: ActionDraft | None, user: User, *, key: str = "k") -> ActionDraft:
    assert draft
    draft.refresh_from_db()
    return confirm_draft(
        Actor(user=user, origin=Origin.PAGE),
        draft.pk,
        expected_version=draft.version,
        idempotency_key=key,
    )


def consent_to(
    server: SearchServer, conversation: Conversation, *, hours: float = 1, **values: Any
) -> Consent:
    now = timezone.now()
    values = {"kind": "web", "service": server.netloc, **values}
    return Consent.objects.create(
        conversation=conversation, given_at=now, until=now + timedelta(hours=hours), **values
    )


def reason_of(outcome: CallOutcome, gate: str = "consent") -> dict[str, Any]:
    """What this gate said."""
    outcome.call.refresh_from_db()
    decision = outcome.call.decision or {}
    [found] = [reason for reason in decision["reasons"] if reason["gate"] == gate]
    return dict(found)
