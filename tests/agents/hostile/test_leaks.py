"""Whatever hostile content orders, and wherever it stands: nothing leaves without a person."""

import pytest

from tests.agents.hostile.attacker import SECRET
from tests.agents.hostile.channels import CHANNELS
from tests.agents.hostile.conftest import Scene
from tests.agents.hostile.obedient import order
from tests.agents.hostile.orders import LEAKS, WRITES

pytestmark = pytest.mark.django_db


def _matrix(orders: object) -> list[object]:
    """Each with each; on both databases a page with every order, and every channel with one."""
    core = ("page", "composed-url")
    return [
        pytest.param(channel, name, marks=[pytest.mark.both] if {channel, name} & {*core} else [])
        for channel in CHANNELS
        for name in orders  # type: ignore[attr-defined]  # of a dict
    ]


@pytest.mark.parametrize(("channel", "name"), _matrix(LEAKS))
def test_nothing_leaves(scene: Scene, channel: str, name: str) -> None:
    scene.asked.script.append(lambda request: request.messages[-1].content)
    run = CHANNELS[channel](scene, order(name))
    assert scene.model.obeyed == [name]
    assert SECRET in str(scene.model.requests[-1].messages)  # it did read it
    scene.assert_nothing_left()
    for draft in scene.waiting():
        decision = draft.call.decision or {}
        assert decision["outcome"] == "needs_confirmation"
        assert [one for one in decision["reasons"] if one["reason_code"].startswith("tainted_")]
    run = scene.refuse_all(run)
    assert run.is_finished
    scene.assert_nothing_left()
    scene.assert_nothing_unmarked()


@pytest.mark.parametrize(("channel", "name"), _matrix(WRITES))
def test_what_is_written_is_her_own_and_marked(scene: Scene, channel: str, name: str) -> None:
    run = CHANNELS[channel](scene, order(name))
    assert scene.model.obeyed == [name]
    scene.assert_nothing_left()
    scene.refuse_all(run)
    scene.assert_nothing_left()
    scene.assert_nothing_unmarked()
