"""Which memories answer a question. Callers see `recall` only: how it chooses may change."""

import heapq
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from agents.memories.terms import terms_of, terms_of_question
from agents.models import Memory
from config.base.models import User

type _Weight = tuple[int, int, datetime, str]

MOST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    id: UUID
    text: str
    importance: int
    updated_at: datetime
    provenance: tuple[str, ...]
    matches: int  # of the question's words; 0 where it had none of its own


def recall(
    user: User, agent_id: UUID | None, question: str, *, limit: int = MOST
) -> list[Recalled]:
    """The best first: most matches, then the more important, then the newer (seed 4).

    A question that names nothing, such as "what do you remember?", gets the most important ones.
    """
    asked = terms_of_question(question)
    rows = Memory.objects.for_user(user).recallable(agent_id)
    found = (
        Recalled(
            id=id_,
            text=text,
            importance=importance,
            updated_at=updated_at,
            provenance=tuple(provenance),
            matches=len(asked & terms_of(text)) if asked else 0,
        )
        for id_, text, importance, updated_at, provenance in rows.values_list(
            "pk", "text", "importance", "updated_at", "provenance"
        )
    )
    fitting = (one for one in found if one.matches or not asked)
    return heapq.nlargest(limit, fitting, key=_weight)


def _weight(one: Recalled) -> _Weight:
    return one.matches, one.importance, one.updated_at, str(one.id)
