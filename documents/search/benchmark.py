"""Measuring what is found: evidence recall over a file of memories and questions.

The retrieval is the product's own, over a holder that is made for it and taken back at the end.
"""

import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from pydantic import BaseModel, ConfigDict

from config.base.errors import InvalidInput
from documents.models import SearchScope
from documents.search.embedders import Embedder
from documents.search.embedding import embed_item
from documents.search.index import put_entries
from documents.search.items import Item, Part
from documents.search.retrieve import retrieve
from documents.search.sources import register, unregister

KIND = "benchmark"
_DEPTHS = (6, 10)
_CATEGORIES = range(1, 5)  # of LoCoMo; the fifth asks for what nobody said


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class _Memory(_Read):
    id: str
    text: str
    date: datetime | None = None


class _Question(_Read):
    question: str
    evidence: list[str]


class _Plain(_Read):
    memories: list[_Memory]
    questions: list[_Question]


@dataclass(slots=True)
class Case:
    """What one holder has, and what is asked of it."""

    items: dict[str, Item] = field(default_factory=dict)  # by the file's id
    questions: list[_Question] = field(default_factory=list)


@dataclass(slots=True)
class Measured:
    recalls: dict[int, list[float]] = field(default_factory=lambda: {k: [] for k in _DEPTHS})
    seconds: list[float] = field(default_factory=list)

    def figures(self) -> dict[str, float | int]:
        shares = {f"recall_at_{k}": _mean(values) for k, values in self.recalls.items()}
        hits = {
            f"hit_at_{k}": _mean([float(value > 0) for value in values])
            for k, values in self.recalls.items()
        }
        times = sorted(self.seconds)
        return {
            "questions": len(times),
            **shares,
            **hits,
            "p50_ms": round(_at(times, 0.5) * 1000, 1),
            "p95_ms": round(_at(times, 0.95) * 1000, 1),
        }


class _Source:
    kind = KIND

    def __init__(self, items: Collection[Item]) -> None:
        self._items = {item.id: item for item in items}

    def items(self, ids: Sequence[UUID]) -> Iterator[Item]:
        return (self._items[id_] for id_ in ids if id_ in self._items)

    def ids_after(self, after: UUID | None, limit: int) -> list[UUID]:
        return sorted(id_ for id_ in self._items if after is None or id_ > after)[:limit]


def read_cases(path: Path) -> list[Case]:
    """Raises `InvalidInput` for what is neither LoCoMo's format nor ours."""
    try:
        cases = _cases_of(json.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"{path} can't be read: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"{path} is neither LoCoMo nor {{memories, questions}}: {error}"
        raise InvalidInput(message) from error
    if not any(case.questions for case in cases):
        raise InvalidInput(f"{path} asks nothing.")
    return cases


def _cases_of(data: Any) -> list[Case]:
    if isinstance(data, list):
        return [_locomo_case(one) for one in data]
    return [_plain_case(_Plain.model_validate(data))]


def measure(cases: Sequence[Case], embedder: Embedder | None) -> Measured:
    """Nothing of it stays in the database, nor of a run that was killed before."""
    measured = Measured()
    try:
        for case in cases:
            _clear()
            _measure_case(case, embedder, measured)
    finally:
        _clear()
        unregister(KIND)
    return measured


def _clear() -> None:
    SearchScope.objects.filter(kind=KIND).delete()


def _measure_case(case: Case, embedder: Embedder | None, measured: Measured) -> None:
    register(_Source(case.items.values()))
    for item in case.items.values():
        with transaction.atomic():  # one each: others write meanwhile
            put_entries(item)
        if embedder is not None:
            embed_item(KIND, item.id, embedder)
    names = {item.id: name for name, item in case.items.items()}
    holders = list({item.holder_id for item in case.items.values()})
    for asked in case.questions:
        began = time.perf_counter()
        hits = retrieve(KIND, holders, asked.question, allowed=lambda ids: ids, limit=max(_DEPTHS))
        measured.seconds.append(time.perf_counter() - began)
        found = [names[hit.item_id] for hit in hits]
        wanted = set(asked.evidence)
        for depth in _DEPTHS:
            recall = len(wanted & set(found[:depth])) / len(wanted)
            measured.recalls[depth].append(recall)


def _plain_case(data: _Plain) -> Case:
    holder, now = uuid4(), datetime.now(UTC)
    case = Case()
    for memory in data.memories:
        if memory.id in case.items:
            raise ValueError(f"there are two memories {memory.id!r}")
        case.items[memory.id] = Item(
            kind=KIND,
            holder_id=holder,
            id=uuid4(),
            parts=[Part(text=memory.text)],
            happened_at=_zoned(memory.date) if memory.date else now,
        )
    for asked in data.questions:
        case.questions.append(_known(asked, case))
    return case


def _zoned(when: datetime) -> datetime:
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _locomo_case(data: dict[str, Any]) -> Case:
    holder, case = uuid4(), Case()
    conversation = data["conversation"]
    for key, turns in conversation.items():
        if not isinstance(turns, list):
            continue
        when = _locomo_date(conversation[f"{key}_date_time"])
        session = uuid4()
        for position, turn in enumerate(turns):
            case.items[turn["dia_id"]] = Item(
                kind=KIND,
                holder_id=holder,
                id=uuid4(),
                parts=[Part(text=_said(turn))],
                happened_at=when,
                session_id=session,
                position=position,
                subject=turn["speaker"],
            )
    for one in data["qa"]:
        asked = _Question(question=str(one["question"]), evidence=_ids(one.get("evidence", [])))
        known = [id_ for id_ in asked.evidence if id_ in case.items]
        if one["category"] in _CATEGORIES and known:
            case.questions.append(_Question(question=asked.question, evidence=known))
    return case


def _said(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [{caption}]" if caption else str(turn["text"])


def _ids(evidence: Sequence[str]) -> list[str]:
    """A few of the file's are joined, or spelled with a letter too many."""
    parts = " ".join(evidence).replace(";", " ").replace(",", " ").split()
    mended = [part.replace("D:", "D").strip("()") for part in parts]
    return list(dict.fromkeys(mended))


def _locomo_date(text: str) -> datetime:
    """As "1:56 pm on 8 May, 2023"."""
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _known(asked: _Question, case: Case) -> _Question:
    """Raises `ValueError`: what can't be found would count as not found."""
    unknown = set(asked.evidence) - case.items.keys()
    if unknown or not asked.evidence:
        raise ValueError(f"the evidence of {asked.question!r} is none of the memories")
    return asked


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else 0.0
