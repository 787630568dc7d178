"""Settings made of others (objects, rows, alternatives, secrets) in fields, without any script."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal
from unittest import mock

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import BaseModel, ConfigDict, Field

from config.base.models import User
from tests.tools.console_forms import ConsolePage
from tests.tools.factories import ToolFactory
from tests.tools.secrets import make_secret
from tools import registry
from tools.models import Tool
from tools.secrets.refs import SecretRef, TextOrSecret
from tools.testing import FakeEcho, events_of
from tools.tool_type import ToolConfig

pytestmark = pytest.mark.django_db


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Limits(Part):
    per_day: int = Field(10, ge=1, le=99)
    strict: bool = True


class Key(Part):
    column: str = Field(min_length=1)
    descending: bool = False


class Basic(Part):
    kind: Literal["basic"] = "basic"
    user: str
    password: SecretRef


class Header(Part):
    kind: Literal["header"] = "header"
    name: str = "authorization"
    value: TextOrSecret


class Tree(Part):
    name: str
    inside: "Tree | None" = None
    beside: "list[Tree]" = []


class NestedConfig(ToolConfig):
    limits: Limits = Limits()
    extra: Limits | None = None
    sort: list[Key] = Field(default=[], max_length=3)
    headers: dict[str, TextOrSecret] = Field(default_factory=dict)
    sign_in: Annotated[Basic | Header, Field(discriminator="kind")] | None = None
    tags: list[str] | str | None = None
    token: SecretRef | None = None
    weights: dict[str, int] = {}
    tree: Tree | None = None


class Nested(FakeEcho):
    name = "nested"
    config_model = NestedConfig  # type: ignore[assignment]  # the fake's own is narrower


@pytest.fixture(autouse=True)
def nested() -> Iterator[None]:
    with mock.patch.dict(registry._types, {"nested": Nested()}):
        yield


@pytest.fixture
def tool(db: None) -> Tool:
    return ToolFactory.create(type="nested", slug="nested", config={})


@pytest.fixture
def form(client: Client, operator: User, tool: Tool) -> ConsolePage:
    make_secret(operator)
    client.force_login(operator)
    return ConsolePage(client, reverse("admin:tools_tool_change", args=[tool.pk]))


def reopened(form: ConsolePage) -> ConsolePage:
    return ConsolePage(form.client, form.address)


def stored(tool: Tool, form: ConsolePage) -> Any:
    assert form.response.status_code == 302, form.errors
    tool.refresh_from_db()
    return tool.config


def holding(tool: Tool, form: ConsolePage, config: Any) -> ConsolePage:
    Tool.objects.filter(pk=tool.pk).update(config=config)
    return reopened(form)


FULL = {
    "limits": {"per_day": 5},
    "extra": {"strict": False},
    "sort": [{"column": "a"}, {"column": "b", "descending": True}],
    "headers": {"accept": "text", "authorization": {"secret": "api"}},
    "sign_in": {"kind": "basic", "user": "me", "password": {"secret": "api"}},
    "tags": ["one", "two"],
    "token": {"secret": "api"},
    "weights": {"a": 1, "b": 0},
    "tree": {"name": "root", "beside": [{"name": "leaf", "inside": {"name": "x"}}]},
}


def test_a_page_that_is_saved_as_it_was_changes_nothing(form: ConsolePage, tool: Tool) -> None:
    form = holding(tool, form, FULL)
    assert stored(tool, form.press("_save")) == FULL
    assert events_of(tool.pk) == []


def test_an_object_is_its_fields(form: ConsolePage, tool: Tool) -> None:
    assert (form["config.limits.per_day"], form["config.limits.strict"]) == ("10", "on")
    form.fill(config__limits__per_day="7", config__limits__strict=None)
    assert stored(tool, form.press("_save")) == {"limits": {"per_day": 7, "strict": False}}
    back = reopened(form).fill(config__limits__per_day="10", config__limits__strict="on")
    assert stored(tool, back.press("_save")) == {}


def test_an_object_that_may_be_left_out_is_added_and_removed(form: ConsolePage, tool: Tool) -> None:
    assert not form.has("config.extra.per_day")
    added = form.press("config:act", "add config.extra")
    assert added["config.extra.per_day"] == "10"
    assert not added.offers("config:act", "add config.extra")
    assert events_of(tool.pk) == []
    added.fill(config__extra__per_day="3")
    assert stored(tool, added.press("_save")) == {"extra": {"per_day": 3}}
    gone = reopened(form).press("config:act", "remove config.extra 0")
    assert stored(tool, gone.press("_save")) == {}


def test_rows_are_added_moved_and_removed_and_nothing_typed_is_lost(
    form: ConsolePage, tool: Tool
) -> None:
    form.fill(name="Renamed", config__limits__per_day="no number")
    form = form.press("config:act", "add config.sort")
    assert form["name"] == "Renamed"
    assert form["config.limits.per_day"] == "no number"
    assert form.errors == {}
    form = form.fill(config__sort__0__column="a").press("config:act", "add config.sort")
    form = form.fill(config__sort__1__column="b").press("config:act", "rise config.sort 1")
    form.fill(config__limits__per_day="10")
    assert stored(tool, form.press("_save"))["sort"] == [{"column": "b"}, {"column": "a"}]
    form = reopened(form).press("config:act", "remove config.sort 0")
    assert stored(tool, form.press("_save")) == {"sort": [{"column": "a"}]}


def test_names_and_values_are_rows_with_a_choice_of_secrets(form: ConsolePage, tool: Tool) -> None:
    form = form.press("config:act", "add config.headers")
    form.set("config.headers.0:key", "accept").set("config.headers.0_0", "text/html")
    form = form.press("config:act", "add config.headers")
    assert '<option value="api">api</option>' in form.text
    form.set("config.headers.1:key", "authorization").set("config.headers.1_1", "api")
    config = stored(tool, form.press("_save"))
    assert config == {"headers": {"accept": "text/html", "authorization": {"secret": "api"}}}


@pytest.mark.parametrize(
    ("rows", "field", "said"),
    [
        ([("", "x", "")], "config.headers.0:key", "Give it a name"),
        ([("a", "x", ""), ("a", "y", "")], "config.headers.1:key", "twice"),
        ([("a", "x", "api")], "config.headers.0", "not both"),
    ],
)
def test_what_is_wrong_with_a_row_stands_at_it(
    form: ConsolePage, tool: Tool, rows: Any, field: str, said: str
) -> None:
    for n, (key, text, secret) in enumerate(rows):
        form = form.press("config:act", "add config.headers")
        form.set(f"config.headers.{n}:key", key).set(f"config.headers.{n}_0", text)
        form.set(f"config.headers.{n}_1", secret)
    form = form.press("_save")
    assert set(form.errors) == {field}
    assert said in form.errors[field]
    assert form["config.headers.0:key"] == rows[0][0]
    assert events_of(tool.pk) == []


def test_a_secret_that_is_gone_is_shown_and_refused(form: ConsolePage, tool: Tool) -> None:
    form = holding(tool, form, {"token": {"secret": "lost"}})
    assert form["config.token"] == "lost"
    form.fill(config__limits__per_day="3")
    assert "lost" in str(form.press("_save").errors)


def test_an_alternative_is_chosen_and_its_fields_appear(form: ConsolePage, tool: Tool) -> None:
    assert not form.has("config.sign_in.user")
    form = form.set("config.sign_in:kind", "0").press("config:act", "show config.sign_in")
    form.fill(config__sign_in__user="me", config__sign_in__password="api")
    config = stored(tool, form.press("_save"))
    assert config == {"sign_in": FULL["sign_in"]}
    form = reopened(form).set("config.sign_in:kind", "1").press("_save")
    assert set(form.errors) == {"config.sign_in:kind"}
    form = form.press("config:act", "show config.sign_in")
    assert form["config.sign_in.name"] == "authorization"
    form.set("config.sign_in.value_0", "Bearer x")
    config = stored(tool, form.press("_save"))
    assert config == {"sign_in": {"kind": "header", "value": "Bearer x"}}
    form = reopened(form).set("config.sign_in:kind", "").press("config:act", "show config.sign_in")
    assert stored(tool, form.press("_save")) == {}


def test_a_list_or_a_text_is_either(form: ConsolePage, tool: Tool) -> None:
    form = form.set("config.tags:kind", "0").press("config:act", "show config.tags")
    assert stored(tool, form.set("config.tags:value", "a\r\nb").press("_save")) == {
        "tags": ["a", "b"]
    }
    form = reopened(form).set("config.tags:kind", "1").press("config:act", "show config.tags")
    assert stored(tool, form.set("config.tags:value", "a").press("_save")) == {"tags": "a"}


def test_what_holds_itself_grows_as_far_as_it_is_filled_in(form: ConsolePage, tool: Tool) -> None:
    form = form.press("config:act", "add config.tree").fill(config__tree__name="root")
    form = form.press("config:act", "add config.tree.beside")
    form.fill(config__tree__beside__0__name="leaf")
    form = form.press("config:act", "add config.tree.beside.0.inside")
    form.fill(config__tree__beside__0__inside__name="x")
    assert stored(tool, form.press("_save")) == {"tree": FULL["tree"]}


@pytest.mark.parametrize(
    ("config", "field", "said"),
    [
        ({"limits": {"per_day": 100}}, "config.limits.per_day", "less than or equal to 99"),
        ({"sort": [{"column": "a"}, {}]}, "config.sort.1.column", "required"),
        ({"sort": [{"column": c} for c in "abcd"]}, "config.sort", "at most 3 items"),
        ({"sign_in": {"kind": "basic"}}, "config.sign_in.user", "required"),
        ({"weights": {"a": 1, "b.c": "x"}}, "config.weights", "valid integer"),
        ({"tree": {"name": "a", "beside": [{}]}}, "config.tree.beside.0.name", "required"),
    ],
)
def test_an_error_of_the_type_stands_at_the_field_it_is_about(
    form: ConsolePage, tool: Tool, config: Any, field: str, said: str
) -> None:
    form = holding(tool, form, config).fill(name="Other").press("_save")
    assert field in form.errors, form.errors
    assert said in form.errors[field]
    assert form.has_id(f"id_{field}")
    assert f'href="#id_{field}"' in form.text
    tool.refresh_from_db()
    assert tool.name != "Other"


# --- The JSON behind them ---


def test_fields_and_json_follow_each_other(form: ConsolePage, tool: Tool) -> None:
    form = form.fill(config__limits__per_day="7").press("config:act", "step")
    assert '"per_day": 7' in form["config"]
    form = form.set("config", '{"sort": [{"column": "a"}]}').press("config:act", "step")
    assert form["config.sort.0.column"] == "a"
    assert form["config.limits.per_day"] == "10"
    form.fill(config__sort__0__column="b")
    assert stored(tool, form.press("_save")) == {"sort": [{"column": "b"}]}


def test_a_row_is_added_to_what_was_typed_as_json(form: ConsolePage, tool: Tool) -> None:
    form = form.set("config", '{"sort": [{"column": "a"}]}').press("config:act", "add config.sort")
    assert form["config.sort.0.column"] == "a"
    form.fill(config__sort__1__column="b")
    assert stored(tool, form.press("_save")) == {"sort": [{"column": "a"}, {"column": "b"}]}


def test_json_that_is_none_is_kept_as_it_was_typed(form: ConsolePage, tool: Tool) -> None:
    form = form.set("config", "{").press("config:act", "step")
    assert set(form.errors) == {"config"}
    assert form["config"] == "{"


def test_a_button_saves_nothing(form: ConsolePage, tool: Tool) -> None:
    form.fill(name="Other").press("config:act", "step")
    tool.refresh_from_db()
    assert tool.name != "Other"


def test_another_type_takes_over_what_was_typed_for_the_one_before(
    form: ConsolePage, tool: Tool
) -> None:
    form = form.fill(config__limits__per_day="7", type="calculator").press("_save")
    assert set(form.errors) == {"type"}
    assert '"per_day": 7' in form["config"]
    assert "per_day" in form["config-other"]
