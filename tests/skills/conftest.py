"""A fake tool, a skill that calls it, and agents that need no row."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from skills import registry
from tests.skills.factories import skill
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
