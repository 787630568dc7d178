"""How a plan is performed: as a generator that yields calls and is sent their outcomes.

The prompt holds the whole turn, so a request is answered by performing the plan from its start and
feeding it the outcomes so far: nothing is remembered between two requests.
"""

from collections.abc import Generator
from dataclasses import dataclass

from agents.model_clients.protocol import JSON
from agents.model_clients.rules.answers import Voice
from agents.model_clients.rules.turn import Outcome


@dataclass(frozen=True, slots=True)
class Call:
    type: str
    arguments: JSON


type Steps[Result] = Generator[tuple[Call, ...], tuple[Outcome, ...], Result]


@dataclass(frozen=True, slots=True)
class Done:
    """What a step says at the end, and what "it" means to the next one."""

    text: str
    it: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    voice: Voice
    time_zone: str
    before: Done | None = None
    is_taken: bool = False  # the next step works on what this one brings


class Stop(Exception):
    """The plan ends here; the text says why."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)


def ask(scene: Scene, call: Call) -> Steps[Outcome]:
    """One call. Raises `Stop` with a plain sentence when it failed."""
    (outcome,) = yield from ask_all(scene, (call,))
    return outcome


def ask_all(scene: Scene, calls: tuple[Call, ...]) -> Steps[tuple[Outcome, ...]]:
    """Several calls in one step: only reads that do not depend on each other."""
    outcomes = yield calls
    for call, outcome in zip(calls, outcomes, strict=True):
        if not outcome.success:
            raise Stop(scene.voice.failure(call.type, outcome.code, outcome.message))
    return outcomes


def copied(scene: Scene, outcome: Outcome, name: str) -> str:
    """A text from a result, for a call that the message asked for."""
    value = outcome.data.get(name)
    if not isinstance(value, str):
        raise Stop(scene.voice.say("missing_value", name=name))
    return value
