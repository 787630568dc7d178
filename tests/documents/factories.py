"""Documents as the product makes them, through the services."""

import time
import uuid
from typing import Any

from config.base.actor import Actor, Origin
from config.base.models import User
from documents import services
from documents.models import Document
from documents.services.sharing import Shared
from skills.models import AuditEvent
from tools.schemas import ToolContext


def person(user: User) -> Actor:
    return Actor(user=user, origin=Origin.PAGE)


def agent_of(user: User, **facts: Any) -> Actor:
    values = {"agent_id": uuid.uuid4(), "conversation_id": uuid.uuid4(), "run_id": uuid.uuid4()}
    return Actor(user=user, origin=Origin.CHAT, **{**values, **facts})


def make_document(
    user: User, title: str = "Notes", content: str = "Text", **values: Any
) -> Document:
    return services.create_document(person(user), title=title, content=content, **values)


def make_deleted(user: User, title: str = "Notes", **values: Any) -> Document:
    """As it was; the row is gone, the text is in the trash."""
    document = make_document(user, title, **values)
    services.delete_document(person(user), document.pk)
    return document


def share_by_link(user: User, document: Document, **values: Any) -> Shared:
    return services.make_link(person(user), document.pk, **values)


def share_with(user: User, document: Document, reader: User, **values: Any) -> Shared:
    return services.share_with_user(person(user), document.pk, reader.username, **values)


def tool_context(actor: Actor, **values: Any) -> ToolContext:
    return ToolContext(
        actor=actor,
        tool_id=None,
        tool_slug="document",
        idempotency_key="k",
        deadline=time.monotonic() + 10,
        **values,
    )


def events_of(document: Document) -> list[str]:
    """The actions that were audited for this document, in order."""
    found = AuditEvent.objects.filter(target_type="document", target_id=str(document.pk))
    return list(found.order_by("pk").values_list("action", flat=True))
