"""Each bound that the schema of a config declares holds where a tool is saved, for every type."""

from typing import Any

import pytest

from config.base.models import User
from tests.agents.tool_types.bounds import Misuse, declared, misuses
from tests.agents.tool_types.configs import full_config
from tests.tools.api import Api
from tests.tools.secrets import make_secret, operator_actor
from tools.errors import InvalidToolConfig
from tools.models import Tool
from tools.registry import AnyToolType, list_tool_types
from tools.services import create_tool

pytestmark = pytest.mark.django_db

TYPES = [pytest.param(one, id=one.name) for one in list_tool_types()]


def schema_of(tool_type: AnyToolType) -> dict[str, Any]:
    return tool_type.config_model.model_json_schema()


def misuses_of(tool_type: AnyToolType) -> list[Misuse]:
    schema = schema_of(tool_type)
    return list(misuses(schema, full_config(tool_type.name, schema)))


EACH = [
    pytest.param(one.name, misuse, id=f"{one.name}: {misuse.bound}, {misuse.place}")
    for one in list_tool_types()
    for misuse in misuses_of(one)
]


@pytest.fixture(autouse=True)
def secret(operator: User) -> None:
    make_secret(operator)


def save(operator: User, type_name: str, config: dict[str, Any]) -> Tool:
    return create_tool(
        operator_actor(operator), name="Mine", slug="mine", type=type_name, config=config
    )


@pytest.mark.parametrize("tool_type", TYPES)
def test_no_declared_bound_is_left_out(tool_type: AnyToolType, operator: User) -> None:
    """Else the config of `configs.py` does not hold everything that a config can hold."""
    reached = {misuse.bound for misuse in misuses_of(tool_type)}
    assert reached == declared(schema_of(tool_type))
    save(operator, tool_type.name, full_config(tool_type.name, schema_of(tool_type)))


@pytest.mark.parametrize(("type_name", "misuse"), EACH)
def test_what_is_just_past_a_bound_is_refused_at_its_field(
    type_name: str, misuse: Misuse, operator: User
) -> None:
    with pytest.raises(InvalidToolConfig) as refused:
        save(operator, type_name, misuse.config)
    fields: dict[str, str] = refused.value.details["fields"]
    assert any(is_at(place, misuse.place, what, misuse) for place, what in fields.items()), fields
    assert misuse.place in refused.value.message
    assert not Tool.objects.filter(slug="mine").exists()
    if misuse.at_bound is not None:
        assert save(operator, type_name, misuse.at_bound)


def is_at(place: str, wanted: str, what: str, misuse: Misuse) -> bool:
    return (place == wanted or place.startswith(f"{wanted}.")) and misuse.says in what


@pytest.mark.parametrize("tool_type", TYPES)
def test_over_the_api_the_field_is_named(tool_type: AnyToolType, operator: User) -> None:
    misuse = misuses_of(tool_type)[-1]
    body = {"name": "Mine", "slug": "mine", "type": tool_type.name, "config": misuse.config}
    status, answer = Api(operator)("POST", "/api/agent-tools/", body)
    assert status == 400
    assert {error["code"] for error in answer["errors"]} == {"invalid_config"}
    assert any(
        is_at(error["attr"], f"config.{misuse.place}", error["detail"], misuse)
        for error in answer["errors"]
    )
