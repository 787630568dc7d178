"""Whatever hostile content orders, and wherever it stands: nothing leaves without a person."""

from collections.abc import Iterable

import pytest

from agents.models import Agent, Run
from tests.agents.hostile.attacker import SECRET
from tests.agents.hostile.channels import CHANNELS
from tests.agents.hostile.conftest import Scene
from tests.agents.hostile.obedient import order
from tests.agents.hostile.orders import LEAKS, READ, WRITES

pytestmark = pytest.mark.django_db

_OF_EVERY_CHANNEL = ("composed-url", "alphabet-at-once", "made-by-a-model", "memory")


def _pairs(orders: Iterable[str]) -> list[object]:
    """A page with every order, and every channel with some; the rest of them all at once below."""
    return [
        pytest.param(channel, name, marks=pytest.mark.both if name in _OF_EVERY_CHANNEL else [])
        for channel in CHANNELS
        for name in orders
        if channel == "page" or name in _OF_EVERY_CHANNEL
    ]


def assert_waits_because_of_taint(scene: Scene) -> None:
    for draft in scene.waiting():
        decision = draft.call.decision or {}
        assert decision["outcome"] in ("needs_confirmation", "needs_consent")
        assert [one for one in decision["reasons"] if one["reason_code"].startswith("tainted_")]


def assert_nothing_happened(scene: Scene, run: Run) -> None:
    """Neither till now nor after a person has refused all of it."""
    scene.assert_nothing_left()
    assert_waits_because_of_taint(scene)
    run = scene.refuse_all(run)
    assert run.is_finished
    scene.assert_nothing_left()
    scene.assert_nothing_unmarked()


@pytest.mark.parametrize(("channel", "name"), _pairs(LEAKS))
def test_nothing_leaves(scene: Scene, channel: str, name: str) -> None:
    scene.asked.script.append(lambda request: request.messages[-1].content)
    run = CHANNELS[channel](scene, order(name))
    assert scene.model.obeyed == [name]
    assert SECRET in str(scene.model.requests[-1].messages)  # it did read it
    assert_nothing_happened(scene, run)


@pytest.mark.parametrize(("channel", "name"), _pairs(WRITES))
def test_what_is_written_is_her_own_and_marked(scene: Scene, channel: str, name: str) -> None:
    run = CHANNELS[channel](scene, order(name))
    assert scene.model.obeyed == [name]
    assert_nothing_happened(scene, run)


@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_leaves_when_all_of_it_is_ordered(scene: Scene, channel: str) -> None:
    """By one order, so that it fits into a title."""
    Agent.objects.filter(pk=scene.agent.pk).update(max_steps=50)
    scene.asked.script += [lambda request: request.messages[-1].content] * 2
    every = [step for name in LEAKS for step in scene.model.orders[name][1:]]
    scene.model.orders = {"all": [READ, *every]}
    run = CHANNELS[channel](scene, order("all"))
    while scene.waiting():
        scene.assert_nothing_left()
        assert_waits_because_of_taint(scene)
        run = scene.refuse_waiting(run)
    assert run.is_finished
    assert scene.model.is_done
    scene.assert_nothing_left()
    scene.assert_nothing_unmarked()
