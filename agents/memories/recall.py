"""Which memories answer a question. Callers see `recall` only: how it chooses may change."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from agents.memories.indexing import KIND
from agents.models import Conversation, Memory
from agents.models.memory import MemoryQuerySet
from config.base.actor import Actor
from config.base.models import User
from documents.search.retrieve import Hit, retrieve
from documents.search.tokens import terms_of_question

MOST = 6
_USE_IS_NOTED_AGAIN_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    id: UUID
    text: str
    importance: int
    updated_at: datetime
    provenance: tuple[str, ...]
    subject: str
    visibility: str
    source_message_id: UUID | None
    last_used_at: datetime | None
    is_own: bool  # else a colleague told it to everybody
    words: tuple[str, ...] = ()  # of the question, that it has
    meaning: float | None = None  # how near it is to the question, up to 1
    score: float = 0.0


def recall(
    user: User,
    agent_id: UUID | None,
    question: str,
    *,
    project_id: UUID | None = None,
    limit: int = MOST,
) -> list[Recalled]:
    """The best first, and nothing where none is evidence; with a project also what all in it may
    know.

    A question that names nothing, such as "what do you remember?", gets the most important ones,
    the newer before the older.
    """
    rows = Memory.objects.recallable_by(user, agent_id, project_id)
    if not terms_of_question(question):
        best = rows.order_by("-importance", "-updated_at", "-pk")
        return [_recalled(user, row) for row in best[:limit]]
    holders = [user.pk, *([project_id] if project_id else ())]
    found = find_among(rows, holders, question, limit=limit)
    return [_recalled(user, row, hit) for row, hit in telling(found, question)]


def find_among(
    rows: MemoryQuerySet,
    holders: Sequence[UUID],
    question: str,
    *,
    limit: int,
    words_only: bool = False,
) -> list[tuple[Memory, Hit]]:
    """Those of `rows` that have to do with it, by the index, the best first.

    Not within a transaction, unless `words_only`.
    """

    def allowed(ids: Sequence[UUID]) -> Collection[UUID]:
        return set(rows.filter(pk__in=ids).values_list("pk", flat=True))

    hits = retrieve(KIND, holders, question, limit=limit, allowed=allowed, words_only=words_only)
    found = rows.in_bulk([hit.item_id for hit in hits])
    return [(found[hit.item_id], hit) for hit in hits if hit.item_id in found]


def telling(found: Sequence[tuple[Memory, Hit]], question: str) -> list[tuple[Memory, Hit]]:
    """All that has a word of the question, if any of it answers; else nothing.

    Among a person's few memories a word that none has seems rare, and so would weigh all: there a
    third of the words, each for one, answers as well.
    """
    asked = len(set(terms_of_question(question).values()))
    if not any(hit.is_evidence or 3 * len(hit.words) >= asked > 0 for _memory, hit in found):
        return []
    return [(memory, hit) for memory, hit in found if hit.is_evidence or hit.words]


def note_use(recalled: Sequence[Recalled]) -> None:
    """Once a day for each: no question waits for a write that says nothing new."""
    now = timezone.now()
    before = now - _USE_IS_NOTED_AGAIN_AFTER
    due = [one.id for one in recalled if one.last_used_at is None or one.last_used_at < before]
    if due:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=before)
        Memory.objects.filter(stale, pk__in=due).update(last_used_at=now)


def project_of(actor: Actor) -> UUID | None:
    """Of the conversation in which the actor is; whether they are in it still is asked later."""
    if actor.conversation_id is None:
        return None
    own = Conversation.objects.for_user(actor.user).filter(pk=actor.conversation_id)
    return own.values_list("project_id", flat=True).first()


def _recalled(user: User, memory: Memory, hit: Hit | None = None) -> Recalled:
    return Recalled(
        id=memory.pk,
        text=memory.text,
        importance=memory.importance,
        updated_at=memory.updated_at,
        provenance=tuple(memory.provenance),
        subject=memory.subject,
        visibility=memory.visibility,
        source_message_id=memory.source_message_id,
        last_used_at=memory.last_used_at,
        is_own=memory.owner_id == user.pk,
        words=hit.words if hit else (),
        meaning=hit.meaning if hit else None,
        score=hit.score if hit else 0.0,
    )
