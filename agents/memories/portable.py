"""Taking one's memories along: a file of JSON that can be read here again.

What is read is untrusted: a file says of itself what it likes, and whoever gave it to the person
may have written it for their agents. Only one that we wrote for the same person, and nobody has
changed since, is taken at its word; its signature says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext as _

from agents.memories import values
from agents.memories.rows import bring_in_step, record
from agents.models import Agent, Memory, MemoryLayer, MemoryStatus
from agents.models.memory import USUAL_IMPORTANCE
from config.base import audit
from config.base.actor import Actor
from config.base.digests import canonical_digest
from config.base.errors import InvalidInput
from config.base.models import User
from config.base.provenance import Provenance

FORMAT = "gatehouse.memories"
MOST_LINES = 1_000  # all of one transaction: on SQLite nobody else writes meanwhile
_SALT = "agents.memories.portable"
_KEPT = (MemoryStatus.ACTIVE, MemoryStatus.PENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    text: str
    subject: str = ""
    importance: int = USUAL_IMPORTANCE
    layer: str = MemoryLayer.LONG_TERM
    agent: str | None = None  # slug
    status: str = MemoryStatus.ACTIVE
    visibility: str = "private"
    provenance: list[str] = field(default_factory=list)
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    line: int  # from 1
    field: str
    code: str
    message: str


class InvalidLines(InvalidInput):
    """Some lines can't be read; none was. `problems` has each with what is wrong."""

    code = "invalid_lines"

    def __init__(self, problems: Sequence[Problem]) -> None:
        first = problems[0]
        where = _("Line %(n)s: %(message)s") % {"n": first.line, "message": first.message}
        super().__init__(where, problems=list(problems))
        self.problems = list(problems)


@dataclass(frozen=True, slots=True)
class Imported:
    added: int
    skipped: int  # remembered already, word for word


@transaction.atomic
def export_memories(actor: Actor, *, now: datetime) -> dict[str, Any]:
    """All that were not forgotten, the oldest first."""
    rows = Memory.objects.for_user(actor.user).exclude(status=MemoryStatus.FORGOTTEN)
    lines = [asdict(_line_of(one)) for one in rows.select_related("agent").order_by("pk")]
    audit.record(
        "memory.exported",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("user", actor.user.pk),
        metadata={"memories": len(lines)},
    )
    return {
        "format": FORMAT,
        "version": 1,
        "exported_at": now.isoformat(),
        "memories": lines,
        "signature": _signature(actor.user, lines),
    }


@transaction.atomic
def import_memories(actor: Actor, lines: Sequence[Line], *, signature: str = "") -> Imported:
    """All or none: raises `InvalidLines`. Twice is once. Nothing becomes wider than its reader: all
    of it is private, and what was not told any more goes into the archive.
    """
    if len(lines) > MOST_LINES:
        message = _("At most %(n)s memories at once.") % {"n": MOST_LINES}
        raise InvalidInput(message, code="too_many")
    agents = dict(Agent.objects.for_user(actor.user).values_list("slug", "pk"))
    cleaned = _cleaned(lines, agents)
    trusted = _is_ours(actor.user, lines, signature)
    known = _known(actor.user)
    added = 0
    for line in cleaned:
        key = _key(line.text, agents.get(line.agent) if line.agent else None)
        if key in known:
            continue
        known.add(key)
        _add(actor, line, key[1], trusted=trusted)
        added += 1
    skipped = len(cleaned) - added
    audit.record(
        "memory.imported",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("user", actor.user.pk),
        metadata={"added": added, "skipped": skipped, "trusted": trusted},
    )
    return Imported(added, skipped)


def _line_of(memory: Memory) -> Line:
    return Line(
        text=memory.text,
        subject=memory.subject,
        importance=memory.importance,
        layer=memory.layer,
        agent=memory.agent.slug if memory.agent else None,
        status=memory.status,
        visibility=memory.visibility,
        provenance=list(memory.provenance),
        created_at=memory.created_at.isoformat(),
    )


def _signature(user: User, lines: Sequence[dict[str, Any]]) -> str:
    return signing.Signer(salt=_SALT).signature(canonical_digest([str(user.pk), list(lines)]))


def _is_ours(user: User, lines: Sequence[Line], signature: str) -> bool:
    digest = canonical_digest([str(user.pk), [asdict(line) for line in lines]])
    try:
        signing.Signer(salt=_SALT).unsign(f"{digest}:{signature}")
    except signing.BadSignature:
        return False
    return True


def _cleaned(lines: Sequence[Line], agents: dict[str, UUID]) -> list[Line]:
    problems: list[Problem] = []
    cleaned = []
    for number, line in enumerate(lines, start=1):
        found = _clean(number, line, agents, problems)
        if found is not None:
            cleaned.append(found)
    if problems:
        raise InvalidLines(problems)
    return cleaned


def _clean(
    number: int, line: Line, agents: dict[str, UUID], problems: list[Problem]
) -> Line | None:
    """With everything that is wrong with it, not only the first."""
    rules: dict[str, Callable[[Any], Any]] = {
        "text": values.clean_text,
        "subject": values.clean_subject,
        "importance": values.clean_importance,
        "layer": values.clean_layer,
    }
    given: dict[str, Any] = asdict(line)
    before = len(problems)
    for name, rule in rules.items():
        try:
            given[name] = rule(given[name])
        except InvalidInput as error:
            problems.append(Problem(number, name, error.code, error.message))
    if line.agent and line.agent not in agents:
        message = _("There is no such agent for you.")
        problems.append(Problem(number, "agent", "not_found", message))
    return Line(**given) if len(problems) == before else None


type _Key = tuple[str, UUID | None]


def _key(text: str, agent_id: UUID | None) -> _Key:
    return text.strip().casefold(), agent_id


def _known(user: User) -> set[_Key]:
    rows = Memory.objects.for_user(user).exclude(status=MemoryStatus.FORGOTTEN)
    return {_key(text, agent_id) for text, agent_id in rows.values_list("text", "agent_id")}


def _add(actor: Actor, line: Line, agent_id: UUID | None, *, trusted: bool) -> None:
    """For good: the conversation that a session memory was for is not here."""
    told = line.status in _KEPT and line.layer != MemoryLayer.SESSION
    known = {one for one in line.provenance if one in Provenance.values}
    provenance = known if trusted and known else {Provenance.UNTRUSTED.value}
    memory = Memory.objects.create(
        owner=actor.user,
        agent_id=agent_id,
        text=line.text,
        subject=line.subject,
        importance=line.importance,
        status=MemoryStatus.ACTIVE if told else MemoryStatus.ARCHIVED,
        provenance=sorted(provenance),
    )
    bring_in_step(memory)
    record("memory.created", actor, memory, imported=True)
