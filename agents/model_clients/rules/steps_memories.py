"""Memories that a person confirms: suggested by a call, recalled by another.

An agent without these tools keeps and finds memory documents instead, as it always did.
"""

from collections.abc import Callable
from dataclasses import replace

from agents.model_clients.rules import steps_documents
from agents.model_clients.rules.intents import (
    MEMORY,
    Capture,
    Create,
    Intent,
    Recall,
    RecallConfirmed,
)
from agents.model_clients.rules.plan import Plan
from agents.model_clients.rules.scene import Call, Done, Scene, Steps, Stop, ask
from agents.model_clients.rules.text import block_quoted, clipped
from agents.model_clients.rules.turn import Outcome

CAPTURE, SEARCH = "memory_capture", "memory_search"
_TITLE = 80


def with_confirmed_memories(plan: Plan, has: Callable[[str], bool]) -> Plan:
    """The same plan for an agent that has these types of tools."""
    return replace(plan, intents=tuple(_with(intent, has) for intent in plan.intents))


def _with(intent: Intent, has: Callable[[str], bool]) -> Intent:
    if isinstance(intent, Create) and intent.kind == MEMORY and intent.once and has(CAPTURE):
        return Capture(intent.content)
    if isinstance(intent, Recall) and has(SEARCH):
        return RecallConfirmed(intent.topic, has("document"))
    return intent


def capture(intent: Capture, scene: Scene) -> Steps[Done]:
    (outcome,) = yield (Call(CAPTURE, {"text": intent.text}),)
    if outcome.code == "already_known":
        return Done(scene.voice.say("known_already"), intent.text)
    if not outcome.success:
        raise Stop(scene.voice.failure(CAPTURE, outcome.code, outcome.message))
    key = "remembered" if outcome.data.get("status") == "active" else "remembered_pending"
    link = f"/memories/{outcome.data.get('id', '')}/"
    return Done(scene.voice.say(key, title=clipped(intent.text, _TITLE), link=link), intent.text)


def recall(intent: RecallConfirmed, scene: Scene) -> Steps[Done]:
    """What was confirmed; where there is none, what lies in memory documents."""
    call = Call(SEARCH, {"query": intent.topic})
    if not intent.also_documents:
        outcome = yield from ask(scene, call)
        return _told(outcome, scene) or Done(_nothing(intent, scene))
    (outcome,) = yield (call,)
    found = _told(outcome, scene) if outcome.success else None
    if found is not None:
        return found
    kept = yield from steps_documents.recall(Recall(intent.topic), scene)
    if kept.it or outcome.success:
        return kept
    raise Stop(scene.voice.failure(SEARCH, outcome.code, outcome.message))


def _told(outcome: Outcome, scene: Scene) -> Done | None:
    rows = outcome.data.get("memories")
    found = [str(row.get("text", "")) for row in rows] if isinstance(rows, list) else []
    if not found:
        return None
    text = "\n\n".join([scene.voice.say("recalled"), *map(block_quoted, found)])
    return Done(text, "\n".join(found))


def _nothing(intent: RecallConfirmed, scene: Scene) -> str:
    key = "recalled_none" if intent.topic else "recalled_nothing"
    return scene.voice.say(key, topic=intent.topic)
