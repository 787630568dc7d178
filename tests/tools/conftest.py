"""Fake tool types, people who call them, and what the ledger says afterwards."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.models import User
from tests.tools.factories import ToolFactory
from tools.models import ActionDraft, Tool
from tools.outcomes import CallOutcome
from tools.pipeline import call_tool
from tools.schemas import CallContext
from tools.testing import Peer, arguments_for, fake_types

type Make = Callable[..., Tool]


@pytest.fixture
def peer() -> Iterator[Peer]:
    """With it the fake types are registered."""
    with fake_types() as peer:
        yield peer


@pytest.fixture
def make(db: None, peer: Peer) -> Make:
    """`make("echo")`, `make("send", config={…}, needs_approval=True)`."""

    def make_tool(kind: str = "echo", **values: Any) -> Tool:
        return ToolFactory.create(type=f"fake_{kind}", **values)

    return make_tool


def actor_of(user: User, origin: Origin = Origin.API, **facts: Any) -> Actor:
    return Actor(user=user, origin=origin, **facts)


def context_for(user: User, **values: Any) -> CallContext:
    values.setdefault("actor", actor_of(user))
    values.setdefault("idempotency_key", f"test:{uuid7()}")
    return CallContext(**values)


def run(tool: Tool, user: User, word: str = "hello", **values: Any) -> CallOutcome:
    """One call of a fake tool, by this user; `values` go into the call context."""
    return call_tool(tool, arguments_for(tool.type, word), context_for(user, **values))


def parked(tool: Tool, user: User, word: str = "hello", **values: Any) -> ActionDraft:
    """The draft of a call that waits for a person."""
    draft = run(tool, user, word, **values).draft
    assert draft is not None
    return draft
