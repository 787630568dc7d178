"""What words mean, among what the person may reach now; "the file from before" too."""

from uuid import UUID

from config.base.models import User
from config.base.search_words import search_words
from documents.knowledge.selectors import list_resources, list_spaces
from documents.models import Resource, ResourceQuerySet
from tools.models import ToolCall

CALLS_LOOKED_AT = 20
EARLIER_TYPES = ("knowledge_resource", "knowledge_search")


def find_spaces_named(user: User, words: str) -> list[UUID]:
    """All whose name has each of the words."""
    spaces = list_spaces(user)
    for word in search_words(words):
        spaces = spaces.filter(name__icontains=word)
    return list(spaces.values_list("pk", flat=True))


def resources_named(user: User, words: str) -> ResourceQuerySet:
    return list_resources(user, q=words)


def find_earlier_resources(user: User, conversation_id: UUID | None) -> list[Resource]:
    """Those that the last call of this conversation which found any was about, best first.

    By its receipt, which is ids; whether they may still be read is asked now.
    """
    if conversation_id is None:
        return []
    calls = ToolCall.objects.filter(
        user=user,
        conversation_id=conversation_id,
        tool_type__in=EARLIER_TYPES,
        receipt__isnull=False,
    ).order_by("-created_at", "-pk")
    for receipt in calls.values_list("receipt", flat=True)[:CALLS_LOOKED_AT]:
        ids = [UUID(one) for one in (receipt or {}).get("resources", [])]
        found = {row.pk: row for row in list_resources(user).filter(pk__in=ids)}
        if found:
            return [found[key] for key in ids if key in found]
    return []
