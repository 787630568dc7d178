"""Whether something like it is remembered already: the same, or something that it may contradict.

By words alone: what is asked of the person is one question, and they judge.
"""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from agents.memories.recall import find_among
from agents.models import Memory, MemoryStatus, Visibility
from agents.models.memory import MemoryQuerySet
from config.base.folding import fold
from config.base.models import User
from documents.search.tokens import is_cjk, terms_of

# Which share of both texts' words is the same: "Lives in Hamburg" and "Lives in Munich" have 0.67,
# "Likes green tea" and "Likes coffee" 0.4. Chinese also counts pairs, which differ at each seam.
_ALIKE, _ALIKE_CJK = 0.5, 0.4
_LOOKED_AT = 5
_HELD = (MemoryStatus.ACTIVE, MemoryStatus.PENDING)


@dataclass(frozen=True, slots=True)
class Similar:
    memory: Memory
    is_same: bool


def find_similar(
    user: User, text: str, *, agent_id: UUID | None, project_id: UUID | None
) -> Similar | None:
    """The likest of one's own that would be recalled beside it: private ones, or, with a project,
    those told to everybody in it.
    """
    own = _beside(user, agent_id, project_id)
    holder = project_id or user.pk
    active = own.filter(status=MemoryStatus.ACTIVE)
    hits = find_among(active, [holder], text, limit=_LOOKED_AT, words_only=True)
    found = [row for row, _hit in hits]
    word_for_word = own.filter(status__in=_HELD, text__iexact=text.strip())  # that waits, too
    same = next((one for one in (*word_for_word[:1], *found) if _is_same(one.text, text)), None)
    if same is not None:
        return Similar(same, is_same=True)
    likest = max(found, key=lambda row: likeness(row.text, text), default=None)
    if likest is None or likeness(likest.text, text) < _threshold(text):
        return None
    return Similar(likest, is_same=False)


def likeness(one: str, other: str) -> float:
    """Of the sets of their words, by Dice: 0 to 1."""
    ours, theirs = set(terms_of(one)), set(terms_of(other))
    both = len(ours) + len(theirs)
    return 2 * len(ours & theirs) / both if both else 0.0


def _threshold(text: str) -> float:
    return _ALIKE_CJK if is_cjk(text) else _ALIKE


def _beside(user: User, agent_id: UUID | None, project_id: UUID | None) -> MemoryQuerySet:
    own = Memory.objects.for_user(user)
    if project_id is None:
        own = own.filter(visibility=Visibility.PRIVATE)
    else:
        own = own.filter(project=project_id)
    return own if agent_id is None else own.filter(Q(agent=agent_id) | Q(agent=None))


def _is_same(one: str, other: str) -> bool:
    """Letter by letter, but for case, width and the full stop."""
    return _bare(one) == _bare(other)


def _bare(text: str) -> str:
    return " ".join(fold(text, len(text)).split()).rstrip(".。!！")
