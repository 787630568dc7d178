"""Drafts that wait for a person, for tests of whatever shows or decides them."""

from typing import Any

from agents.models import Agent, Conversation, Run, RunStatus
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from documents.models import Document
from tools.models import ActionDraft, Tool
from tools.pipeline import call_tool
from tools.schemas import CallContext


def make_document(user: User, title: str = "Notes", **values: Any) -> Document:
    values = {"content": "Hello", "type": "document", **values}
    return Document.objects.create(owner=user, title=title, **values)


def parked(user: User, arguments: dict[str, Any], **facts: Any) -> ActionDraft:
    """The draft of a call of the document tool, made for this user."""
    context = CallContext(
        actor=Actor(user=user, origin=Origin.CHAT, **facts), idempotency_key=str(uuid7())
    )
    draft = call_tool(Tool.objects.get(slug="document"), arguments, context).draft
    assert draft is not None
    return draft


def parked_delete(user: User, document: Document | None = None, **facts: Any) -> ActionDraft:
    document = document or make_document(user)
    return parked(user, {"action": "delete", "id": str(document.pk)}, **facts)


def conversation_of(user: User, agent: Agent, **values: Any) -> Conversation:
    return Conversation.objects.create(owner=user, agent=agent, **values)


def run_of(conversation: Conversation, **values: Any) -> Run:
    values = {"status": RunStatus.COMPLETED, "origin": Origin.CHAT, **values}
    return Run.objects.create(
        owner=conversation.owner, agent=conversation.agent, conversation=conversation, **values
    )
