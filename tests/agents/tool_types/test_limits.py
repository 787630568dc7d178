"""Each limit of each config is gone past once, through the pipeline, for every type."""

from typing import Any

import pytest

from agents.memories.services import create_memory
from agents.models import Agent
from config.base.models import User
from tests.agents.cards import conversation_of
from tests.agents.tool_types.conftest import ToolOf
from tests.agents.tool_types.limits import LIMITS, NO_LIMITS, Limit
from tests.documents.factories import make_document
from tests.documents.knowledge.factories import make_space
from tests.documents.knowledge.rows import make_row
from tests.tools.conftest import actor_of, context_for
from tools.drafts import confirm_draft
from tools.enums import DraftKind
from tools.models import Tool
from tools.outcomes import CallOutcome, outcome_of_draft
from tools.pipeline import call_tool
from tools.registry import AnyToolType, list_tool_types

pytestmark = pytest.mark.django_db

EACH = [pytest.param(*where, limit, id=".".join(where)) for where, limit in LIMITS.items()]


@pytest.mark.parametrize("tool_type", list_tool_types(), ids=lambda one: str(one.name))
def test_each_field_is_a_limit_that_is_misused_or_none_for_a_reason(
    tool_type: AnyToolType,
) -> None:
    limits = {field for type_name, field in LIMITS if type_name == tool_type.name}
    others = set(NO_LIMITS.get(tool_type.name, {}))
    assert limits | others == set(tool_type.config_model.model_fields)
    assert not limits & others


def test_no_entry_is_of_a_type_that_is_gone() -> None:
    named = {type_name for type_name, _field in LIMITS} | set(NO_LIMITS)
    assert named <= {tool_type.name for tool_type in list_tool_types()}


@pytest.fixture
def call(alice: User, guide: Agent) -> Any:
    """In a conversation of hers, who has another one, some documents and some memories."""
    here = conversation_of(alice, guide)
    conversation_of(alice, guide, title="Elsewhere")
    space = make_space(alice)
    for number in range(3):
        make_row(alice, f"Pump {number}", space=space)
        make_document(alice, f"Document {number}", "word " * 30)
        create_memory(actor_of(alice), f"Likes tea number {number}.")
    actor = actor_of(alice, conversation_id=here.pk, agent_id=guide.pk)

    def run(tool: Tool, limit: Limit) -> CallOutcome:
        outcome = call_tool(tool, limit.arguments, context_for(alice, actor=actor))
        return consented(alice, outcome) if outcome.draft else outcome

    return run


def consented(user: User, outcome: CallOutcome) -> CallOutcome:
    """What is only asked whether it may leave, goes on; what waits for approval waits."""
    draft = outcome.draft
    if draft is None or draft.kind != DraftKind.CONSENT:
        return outcome
    done = confirm_draft(
        actor_of(user), draft.pk, expected_version=draft.version, idempotency_key=str(draft.pk)
    )
    return outcome_of_draft(done.call, done)


@pytest.mark.parametrize(("type_name", "field", "limit"), EACH)
def test_a_call_past_a_limit_is_held_by_it(
    type_name: str, field: str, limit: Limit, tool_of: ToolOf, call: Any
) -> None:
    """And by nothing else: with more of it, or with leave, the same call is not."""
    outcome = call(tool_of(type_name, **limit.config, **{field: limit.at}), limit)
    assert limit.held(outcome), (outcome.error, outcome.result, outcome.draft)
    outcome = call(tool_of(type_name, **limit.config, **{field: limit.enough}), limit)
    assert outcome.error is None
    assert not limit.held(outcome), (outcome.result, outcome.draft)
