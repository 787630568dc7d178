"""Where an answer has it from: what the calls of its run read, as the person may see it now.

From the ledger and the steps, never from the answer's text: a model can name no source that it has
not read. Who has lost a space since is shown none of its passages any more.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext as _

from agents.models import Run, RunStep
from agents.runs.keys import parse_call_key
from config.base.models import User
from documents.knowledge.selectors import readable_among
from tools.enums import CallStatus
from tools.models import ToolCall
from tools.schemas import JSON

_KNOWLEDGE = frozenset({"knowledge_search", "knowledge_resource"})
SOURCES = _KNOWLEDGE | {"memory_search", "fetch", "web_search"}


@dataclass(frozen=True, slots=True)
class Sources:
    """`summary`: of every kind, in the order of reading; the others: what a client can open."""

    summary: list[JSON] = field(default_factory=list)
    citations: list[JSON] = field(default_factory=list)
    resources: list[JSON] = field(default_factory=list)


def sources_of(run: Run) -> Sources:
    """One query where it read nothing of that kind, else up to three."""
    calls = list(
        ToolCall.objects.filter(
            run_id=run.pk, tool_type__in=SOURCES, status=CallStatus.SUCCESS
        ).order_by("created_at", "pk")
    )
    if not calls:
        return Sources()
    steps = {step.n: step for step in RunStep.objects.filter(run=run)}
    return told_sources(calls, steps, readable_files(run.owner, calls))


def readable_files(user: User, calls: Iterable[ToolCall]) -> frozenset[str]:
    """Of the files that these calls read, those that the user may read now."""
    read = [call.receipt or {} for call in calls if call.tool_type in _KNOWLEDGE]
    return readable_among(user, {UUID(key) for each in read for key in each.get("resources", ())})


def told_sources(
    calls: Iterable[ToolCall], steps: Mapping[int, RunStep], may: frozenset[str]
) -> Sources:
    """`steps` of the calls' run, by number; `may`: the files that may be shown."""
    found = Sources()
    for call in calls:
        if call.tool_type not in SOURCES or call.status != CallStatus.SUCCESS:
            continue
        data = _told(call, steps) if call.tool_type in _KNOWLEDGE else {}
        citations, resources = _listed(data, "citations", may), _listed(data, "resources", may)
        found.citations.extend(citations)
        found.resources.extend(resources)
        found.summary.extend(_summed_up(call, [*citations, *resources]))
    return Sources(
        _distinct(found.summary, "type", "label"),
        _distinct(found.citations, "resource_id", "passage"),
        _distinct(found.resources, "resource_id"),
    )


def _told(call: ToolCall, steps: Mapping[int, RunStep]) -> JSON:
    """What the model was told of it; of a skill's call, which no step holds, nothing."""
    place = parse_call_key(call.idempotency_key)
    step = steps.get(place[1]) if place else None
    told = step.results.get(str(place[2])) if step and place else None
    data: JSON = (told or {}).get("data") or {}
    return data


def _listed(data: JSON, name: str, may: frozenset[str]) -> list[JSON]:
    return [one for one in data.get(name) or () if one.get("resource_id") in may]


def _summed_up(call: ToolCall, files: Sequence[JSON]) -> list[JSON]:
    """Of a file once, however many of its passages were read."""
    at, receipt = call.finished_at, call.receipt or {}
    if call.tool_type in _KNOWLEDGE:
        return [_source("knowledge", one["title"], at, one["url"]) for one in files]
    if call.tool_type == "memory_search":
        found = receipt.get("memories")
        return [_source("memory", _("What you let it remember"), at)] if found else []
    host = receipt.get("host")
    return [_source("web", str(host), at)] if host else []


def _source(kind: str, label: str, read_at: datetime | None, url: str = "") -> JSON:
    told: JSON = {
        "type": kind,
        "label": label,
        "verified_at": read_at.isoformat() if read_at else None,
    }
    return {**told, "url": url} if url else told


def _distinct(listed: Sequence[JSON], *names: str) -> list[JSON]:
    """The first of each."""
    kept: dict[tuple[object, ...], JSON] = {}
    for one in listed:
        kept.setdefault(tuple(one[name] for name in names), one)
    return list(kept.values())
