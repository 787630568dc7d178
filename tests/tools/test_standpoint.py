"""How calls of a tool differ for the gates is foreseen: no call is worse than its use."""

from typing import Any, get_args

import pytest

from documents.tool.config import Action
from documents.tool.inputs import DocumentInput
from tests.tools.factories import ToolFactory
from tools.configs import load_config
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.registry import get_tool_type, list_tool_types
from tools.standpoint import foreseen_calls
from tools.types.fetch.config import FetchInput

SHIPPED = [one for one in list_tool_types() if not one.needs_set_up]


@pytest.mark.parametrize("tool_type", SHIPPED, ids=lambda one: one.name)
def test_each_shipped_type_says_how_its_calls_differ(tool_type: Any) -> None:
    config = load_config(tool_type.name, {})
    uses = tool_type.uses(config)
    assert uses
    at_worst = tool_type.annotations(config).risk
    assert max(one.risk for one in uses.values()) == at_worst


@pytest.mark.parametrize("action", get_args(Action.__value__))
def test_an_action_on_documents_is_one_of_the_uses(action: Action) -> None:
    document = get_tool_type("document")
    config = load_config("document", {"approval_required_actions": ["delete", "create"]})
    [known] = [one for names, one in document.uses(config).items() if action in names.split(", ")]
    assert known == document.annotations(config, DocumentInput.model_construct(action=action))


def test_getting_a_page_is_another_use_than_sending() -> None:
    fetch = get_tool_type("fetch")
    config = load_config("fetch", {})
    get = FetchInput.model_validate({"url": "https://example.com/"})
    post = FetchInput.model_validate({"url": "https://example.com/", "method": "POST"})
    uses = fetch.uses(config)
    assert uses["GET"] == fetch.annotations(config, get)
    assert uses["POST"] == fetch.annotations(config, post)
    assert uses["POST"].risk == Risk.L3


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"type": "gone"}, "unknown_type"),
        ({"type": "calculator", "config": {"nothing": 1}}, "invalid_config"),
    ],
)
def test_a_tool_that_nobody_could_call_says_why(facts: dict[str, Any], code: str) -> None:
    with pytest.raises(ToolFailure) as refusal:
        list(foreseen_calls(ToolFactory.create(**facts)))
    assert refusal.value.code == code
