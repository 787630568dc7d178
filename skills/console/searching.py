"""The search box of the audit: every condition finds its index, or a million rows are read."""

import uuid
from collections.abc import Iterator
from typing import Any

from django.db.models import Q, QuerySet

from config.base.admin_base import MAX_SEARCH_WORDS
from skills.console.filters import known_actions
from skills.models import AuditEvent, AuditSubject
from skills.selectors import is_of

IDS = ("event_id", "run_id", "conversation_id", "agent_id", "subject")


def search(events: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Each word narrows it."""
    words = text.split()[:MAX_SEARCH_WORDS]
    actions = known_actions() if words else set()
    for word in words:
        events = events.filter(pk__in=_matching(word, actions))
    return events


def _matching(word: str, actions: set[str]) -> QuerySet[Any, Any]:
    """One query for each way, put together: of an OR databases read the whole table."""
    every = AuditEvent.objects.order_by().values("pk")
    first, *others = [every.filter(one) for one in _ways(word, actions)]
    return first.union(*others, all=True)


def _ways(word: str, actions: set[str]) -> Iterator[Q]:
    """Ids and names match whole; of the newest events' actions the beginning is enough."""
    yield Q(target_id=word)
    yield Q(action__in=sorted({word, *(one for one in actions if one.startswith(word))}))
    for column in ("tool", "skill", "reason_code"):
        yield is_of(column, word)
    people = AuditSubject.objects.filter(user__username=word)
    if subjects := list(people.values_list("pk", flat=True)):
        yield Q(subject__in=subjects)
    try:
        row_id = uuid.UUID(word)
    except ValueError:
        return
    # What somebody did to their own account names them by their subject.
    own = AuditSubject.objects.filter(user=row_id).values_list("pk", flat=True)
    yield Q(target_id__in=[str(row_id), *map(str, own)])
    for name in IDS:
        yield Q(**{name: row_id})
