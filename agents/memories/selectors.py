"""Reads of one's own memories, for the pages and the API."""

from uuid import UUID

from django.db.models import Count, Q

from agents.memories.recall import find_among, telling
from agents.models import Memory, MemoryStatus
from agents.models.memory import MemoryQuerySet
from config.base.errors import NotFound
from config.base.models import Membership, User
from config.base.search_words import search_words

MOST_FOUND = 100
_WITH = ("agent", "project", "conversation", "source_message")


def list_memories(user: User, *, status: str = "", agent: str = "") -> MemoryQuerySet:
    """Of one status or, without any, all that were not forgotten; of an agent: what it may be told,
    so those of all agents, too.
    """
    rows = Memory.objects.for_user(user).select_related(*_WITH)
    rows = rows.filter(status=status) if status else rows.exclude(status=MemoryStatus.FORGOTTEN)
    return rows.filter(Q(agent__slug=agent) | Q(agent=None)) if agent else rows


def search_memories(
    user: User, q: str, *, status: str = MemoryStatus.ACTIVE, agent: str = ""
) -> list[Memory]:
    """Those that are recalled by the retrieval that recalls them, each with its `why`; the others,
    which no index has, by the words that stand in them. Raises `InvalidInput` (too_long).
    """
    rows = list_memories(user, status=status, agent=agent)
    words = search_words(q)
    if status != MemoryStatus.ACTIVE:
        for word in words:
            rows = rows.filter(Q(text__icontains=word) | Q(subject__icontains=word))
        return list(rows.order_by("-updated_at", "-pk")[:MOST_FOUND])
    found = telling(find_among(rows, _holders(user), q, limit=MOST_FOUND), q)
    for memory, hit in found:
        memory.why = hit
    return [memory for memory, _hit in found]


def get_memory(user: User, memory_id: UUID) -> Memory:
    """Raises `NotFound`; also for a forgotten one: there is nothing to be read."""
    memory = list_memories(user).filter(pk=memory_id).first()
    if memory is None:
        raise NotFound
    return memory


def count_by_status(user: User) -> dict[str, int]:
    rows = Memory.objects.for_user(user).values_list("status")
    return dict(rows.annotate(n=Count("pk")).order_by())


def list_replaced(memory: Memory) -> MemoryQuerySet:
    """What it has replaced, the newest first."""
    rows = Memory.objects.filter(owner=memory.owner_id, superseded_by=memory)
    return rows.filter(status=MemoryStatus.SUPERSEDED).order_by("-updated_at", "-pk")


def find_project_id(user: User, slug: str) -> UUID:
    """One of the user's own projects. Raises `NotFound`."""
    mine = Membership.objects.filter(user=user, project__slug=slug)
    project_id = mine.values_list("project_id", flat=True).first()
    if project_id is None:
        raise NotFound
    return project_id


def _holders(user: User) -> list[UUID]:
    """Where own ones are kept: with their owner, or for the company with a project."""
    own = Memory.objects.for_user(user).filter(project__isnull=False)
    return [user.pk, *own.order_by().values_list("project_id", flat=True).distinct()]
