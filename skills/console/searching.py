"""The search box of the audit: every condition finds its index, or a million rows are read."""

import uuid
from typing import Any

from django.db.models import Q, QuerySet

from config.base.admin_base import MAX_SEARCH_WORDS
from skills.console.filters import known_actions
from skills.models import AuditSubject
from skills.selectors import is_of

IDS = ("event_id", "run_id", "conversation_id", "agent_id", "subject")


def search(events: QuerySet[Any], text: str) -> QuerySet[Any]:
    """Each word narrows it."""
    words = text.split()[:MAX_SEARCH_WORDS]
    actions = known_actions() if words else set()
    for word in words:
        events = events.filter(matching(word, actions))
    return events


def matching(word: str, actions: set[str]) -> Q:
    """Ids and names match whole; of the newest events' actions the beginning is enough."""
    people = AuditSubject.objects.filter(user__username=word).values_list("pk", flat=True)
    begun = {action for action in actions if action.startswith(word)}
    found = Q(target_id=word) | Q(action__in=sorted({*begun, word}))
    for column in ("tool", "skill", "reason_code"):
        found |= is_of(column, word)
    if subjects := list(people):
        found |= Q(subject__in=subjects)
    try:
        row_id = uuid.UUID(word)
    except ValueError:
        return found
    for name in IDS:
        found |= Q(**{name: row_id})
    return found | Q(target_id=str(row_id))
