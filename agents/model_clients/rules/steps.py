"""Performing a plan, step after step, until a call is needed or all is said."""

from collections.abc import Callable, Iterator
from typing import Any

from agents.model_clients.rules import steps_dates as dates
from agents.model_clients.rules import steps_documents as documents
from agents.model_clients.rules import steps_knowledge as knowledge
from agents.model_clients.rules import steps_memories as memories
from agents.model_clients.rules.intents import (
    AddToDate,
    AskKnowledge,
    Calculate,
    Capture,
    Change,
    Convert,
    Create,
    DateOf,
    DaysBetween,
    Delete,
    Explain,
    Fetch,
    Intent,
    IsoWeek,
    ListDocuments,
    Now,
    Read,
    Recall,
    RecallConfirmed,
    Rename,
    Save,
    Say,
    Search,
    SendFile,
    Weekday,
)
from agents.model_clients.rules.plan import Plan
from agents.model_clients.rules.scene import Call, Done, Scene, Steps, Stop, ask, copied
from agents.model_clients.rules.text import block_quoted, clipped
from agents.model_clients.rules.turn import Outcome

_EXCERPT = 800


def fetch(intent: Fetch, scene: Scene) -> Steps[Done]:
    page = yield from ask(scene, Call("fetch", {"url": intent.url}))
    status = page.data.get("status_code", "?")
    if scene.is_taken and isinstance(status, int) and status >= 400:
        raise Stop(scene.voice.say("bad_status", url=intent.url, status=status))
    content = copied(scene, page, "content")
    text = scene.voice.say("fetched", url=intent.url, status=status)
    if not scene.is_taken:
        text = f"{text} {_excerpt(scene, content, 'begins')}"
    return Done(text, content, intent.url)


def explain(_intent: Explain, scene: Scene) -> Steps[Done]:
    if scene.before is None or not scene.before.it:
        raise Stop(scene.voice.say("nothing_before"))
    yield from ()
    before = scene.before
    return Done(_excerpt(scene, before.it, "cannot_summarise"), before.it, before.source)


def say(intent: Say, scene: Scene) -> Steps[Done]:
    yield from ()
    return Done(scene.voice.say(intent.key, subject=intent.subject or "…"))


def _excerpt(scene: Scene, content: str, key: str) -> str:
    if not content.strip():
        return scene.voice.say("fetched_empty")
    return f"{scene.voice.say(key)}\n\n{block_quoted(clipped(content, _EXCERPT))}"


HANDLERS: dict[type[Intent], Callable[[Any, Scene], Steps[Done]]] = {
    Fetch: fetch,
    Explain: explain,
    Say: say,
    Calculate: dates.calculate,
    Now: dates.now,
    DateOf: dates.date_of,
    Weekday: dates.weekday,
    IsoWeek: dates.iso_week,
    AddToDate: dates.add_to_date,
    DaysBetween: dates.days_between,
    Convert: dates.convert,
    Save: documents.save,
    Create: documents.create,
    Recall: documents.recall,
    Capture: memories.capture,
    RecallConfirmed: memories.recall,
    AskKnowledge: knowledge.answer,
    SendFile: knowledge.send_file,
    ListDocuments: documents.list_documents,
    Search: documents.search,
    Read: documents.read,
    Delete: documents.delete,
    Change: documents.change,
    Rename: documents.rename,
}


def perform(plan: Plan, scene: Scene, said: list[str]) -> Steps[None]:
    """Fills `said`, a paragraph per step; what is said so far can be read at any time."""
    before: Done | None = None
    for index, intent in enumerate(plan.intents):
        later = plan.intents[index + 1 :]
        here = Scene(scene.voice, scene.time_zone, before, bool(later) and later[0].takes_it)
        try:
            before = yield from HANDLERS[type(intent)](intent, here)
        except Stop as stop:
            said.append(stop.text)
            if later or plan.not_understood:
                said.append(scene.voice.say("rest_not_done"))
            return
        said.append(before.text)
    if plan.not_understood:
        said.append(scene.voice.say("not_understood", text=clipped(plan.not_understood, 300)))


def replay(
    steps: Steps[None], rounds: tuple[tuple[Outcome | None, ...], ...]
) -> tuple[Call, ...] | None:
    """The next calls, or None when the plan is through. Raises `Diverged`."""
    feed: Iterator[tuple[Outcome | None, ...]] = iter(rounds)
    try:
        calls = next(steps)
        for outcomes in feed:
            present = tuple(outcome for outcome in outcomes if outcome is not None)
            if len(present) != len(calls):
                raise Diverged
            calls = steps.send(present)
    except StopIteration:
        return None
    return calls


class Diverged(Exception):
    """The results in the prompt are not those of this plan's calls."""
