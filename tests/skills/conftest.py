"""A fake tool, a skill that calls it, and agents that need no row."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from skills import registry
from skills.enums import ApprovalMode
from skills.manifests import Matchers
from tests.skills.factories import WRITE, Later, Tone, permission, skill
from tests.tools.factories import ToolFactory
from tools.models import Tool
from tools.testing import FakeDirectory, Peer, fake_types

# The same in each process: parameters of tests carry them.
AGENT, OTHER_AGENT, FOREIGN_AGENT = (UUID(int=n, version=4) for n in (1, 2, 3))


@pytest.fixture
def peer() -> Iterator[Peer]:
    """With it the fake types are registered."""
    with fake_types() as peer:
        yield peer


@pytest.fixture
def agents(settings: Any) -> Iterator[None]:
    settings.AGENT_DIRECTORY = "tools.testing.FakeDirectory"
    FakeDirectory.tool_sets = {AGENT: {}, OTHER_AGENT: {}}
    yield
    FakeDirectory.tool_sets = {}


@pytest.fixture
def tool(db: None, peer: Peer) -> Tool:
    """As it is shipped: its slug is its type."""
    return ToolFactory.create(type="fake_echo", slug="fake_echo")


@pytest.fixture
def echo() -> Iterator[None]:
    """`echo@1.0.0`, which wants `tests:read`, and no other skill."""
    with registry.only(skill()):
        yield


# --- What tables of policy are about ---

KINDS = ("echo", "rename", "open_echo", "send", "destroy")
EACH_TIME = permission(WRITE, ApprovalMode.PER_OPERATION)


@pytest.fixture
def skills(peer: Peer) -> Any:
    with registry.only(
        skill(),
        skill(skill_id="asks", permissions=(permission(), EACH_TIME)),
        skill(Later, skill_id="later", permissions=(permission(WRITE),), matchers=Matchers()),
        skill(Tone, skill_id="tone", permissions=(), matchers=Matchers()),
        skill(Tone, skill_id="tone-asks", permissions=(EACH_TIME,), matchers=Matchers()),
    ):
        yield


@pytest.fixture
def tools(db: None, skills: Any) -> dict[str, Tool]:
    """One of each kind, all given to the agent."""
    made = {kind: ToolFactory.create(type=f"fake_{kind}", slug=f"fake_{kind}") for kind in KINDS}
    FakeDirectory.tool_sets[AGENT] = {tool.slug: False for tool in made.values()}
    return made
