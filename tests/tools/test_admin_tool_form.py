"""The settings of a tool as fields of its type's schema, with the JSON behind them."""

import json
from collections.abc import Iterator
from typing import Any, Literal
from unittest import mock

import pytest
from django.test import Client
from django.urls import reverse
from pydantic import Field, field_validator

from config.base.models import User
from tests.tools.factories import ToolFactory
from tools import registry
from tools.admin.schema.part import SchemaPart
from tools.admin.schema.reader import shapes_of
from tools.admin.schema.shapes import Kind
from tools.docs.catalogue import example_config
from tools.models import Tool
from tools.testing import FakeEcho, events_of
from tools.tool_type import ToolConfig

pytestmark = pytest.mark.django_db

type Mode = Literal["slow", "fast"]


class RichConfig(ToolConfig):
    """One field of each kind."""

    flag: bool = True
    maybe: bool | None = None
    count: int = Field(3, ge=1, le=9, description="How <b>often</b>.")
    ratio: float = 0.5
    limit: int | None = None
    title: str = "a"
    body: str = ""
    mode: Mode = "slow"
    modes: tuple[Mode, ...] = ("slow",)
    hosts: tuple[str, ...] = ("*",)
    headers: dict[str, str] = Field(default_factory=lambda: {"accept": "text"})
    anything: str | dict[str, int] | None = None
    nested: dict[str, list[int]] = Field(default_factory=dict)
    loose: dict[str, Any] = Field(default_factory=dict)

    @field_validator("hosts")
    @classmethod
    def _no_spaces(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(" " in host for host in value):
            raise ValueError("a host has no spaces")
        return value


class Rich(FakeEcho):
    name = "rich"
    config_model = RichConfig  # type: ignore[assignment]  # the fake's own is narrower


@pytest.fixture(autouse=True)
def rich() -> Iterator[None]:
    with mock.patch.dict(registry._types, {"rich": Rich()}):
        yield


@pytest.fixture
def tool(db: None) -> Tool:
    return ToolFactory.create(type="rich", slug="rich", config={"count": 5, "hosts": ["a", "b"]})


@pytest.fixture
def console(client: Client, operator: User) -> Client:
    client.force_login(operator)
    return client


def address(tool: Tool) -> str:
    return reverse("admin:tools_tool_change", args=[tool.pk])


def sent_back(page: Any, **changes: Any) -> dict[str, Any]:
    """What a browser sends of this page, with `config.count` and others changed."""
    form = page.context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    values |= {"config-shown": form.part.shown_text, "type-shown": form["type"].value() or ""}
    values |= {name.replace("__", "."): value for name, value in changes.items()}
    return {
        name: value for name, value in values.items() if value is not None and value is not False
    }


def save(console: Client, tool: Tool, **changes: Any) -> Any:
    page = console.get(address(tool))
    response = console.post(address(tool), sent_back(page, **changes))
    tool.refresh_from_db()
    return response


def errors_of(response: Any) -> dict[str, str]:
    assert response.status_code == 200
    errors = response.context["adminform"].form.errors
    return {name: " ".join(found) for name, found in errors.items()}


# --- Shapes ---


def test_every_field_of_a_schema_has_its_kind() -> None:
    kinds = {shape.name: shape.kind for shape in shapes_of(RichConfig)}
    assert kinds == {
        "flag": Kind.FLAG,
        "maybe": Kind.FLAG,
        "count": Kind.INTEGER,
        "ratio": Kind.NUMBER,
        "limit": Kind.INTEGER,
        "title": Kind.TEXT,
        "body": Kind.LONG_TEXT,
        "mode": Kind.CHOICE,
        "modes": Kind.CHOICES,
        "hosts": Kind.LINES,
        "headers": Kind.PAIRS,
        "anything": Kind.TEXT_OR_JSON,
        "nested": Kind.MAP,
        "loose": Kind.JSON,
    }


def test_a_default_that_a_factory_makes_is_known() -> None:
    defaults = {shape.name: shape.default for shape in shapes_of(RichConfig)}
    assert defaults["headers"] == {"accept": "text"}
    assert defaults["nested"] == {}
    assert defaults["maybe"] is None


@pytest.mark.parametrize("tool_type", registry.list_tool_types(), ids=lambda found: found.name)
def test_every_installed_type_has_a_form_that_changes_nothing_by_itself(tool_type: Any) -> None:
    example = example_config(tool_type)
    assert example is not None
    dumped = example.config.model_dump(mode="json", by_alias=True)
    part = SchemaPart("config", tool_type.config_model, dumped)
    assert len(part.field_names) == len(tool_type.config_model.model_fields)
    inputs = tool_type.input_model(example.config)
    told = inputs.model_json_schema().get("properties", {})
    assert len(SchemaPart("arguments", inputs, {}).field_names) == len(told)


# --- Saving ---


def test_a_page_that_is_saved_as_it_was_changes_nothing(console: Client, tool: Tool) -> None:
    assert save(console, tool).status_code == 302
    assert tool.config == {"count": 5, "hosts": ["a", "b"]}
    assert events_of(tool.pk) == []


@pytest.mark.parametrize(
    ("name", "typed", "stored"),
    [
        ("flag", None, False),
        ("maybe", "True", True),
        ("count", "7", 7),
        ("ratio", "2", 2.0),
        ("ratio", "0.25", 0.25),
        ("limit", "4", 4),
        ("title", "  kept as typed ", "  kept as typed "),
        ("title", "", ""),
        ("body", "one\r\ntwo", "one\ntwo"),
        ("mode", "fast", "fast"),
        ("modes", ["slow", "fast"], ["slow", "fast"]),
        ("modes", None, []),
        ("hosts", " x.example \n\n*.y.example", ["x.example", "*.y.example"]),
        ("hosts", "", []),
        ("headers", "accept: a: b\nx-one:", {"accept": "a: b", "x-one": ""}),
        ("anything", "words", "words"),
        ("anything", '{"a": 1}', {"a": 1}),
        ("loose", '{"a": [1, 2]}', {"a": [1, 2]}),
    ],
)
def test_what_is_typed_is_stored_as_the_schema_wants_it(
    console: Client, tool: Tool, name: str, typed: Any, stored: Any
) -> None:
    response = save(console, tool, **{f"config__{name}": typed})
    assert response.status_code == 302, errors_of(response)
    assert tool.config == {"count": 5, "hosts": ["a", "b"], name: stored}
    assert events_of(tool.pk) == ["config.changed"]
    save(console, tool)
    assert tool.config[name] == stored


@pytest.mark.parametrize("typed", ["3", ""])
def test_what_is_as_the_type_has_it_is_left_out(console: Client, tool: Tool, typed: str) -> None:
    save(console, tool, config__count=typed)
    assert tool.config == {"hosts": ["a", "b"]}


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("count", "12", "less than or equal to 9"),
        ("count", "many", "whole number"),
        ("mode", "warp", "valid choice"),
        ("hosts", "a\nb c", "a host has no spaces"),
        ("headers", "no colon", "key: value"),
        ("headers", "a: 1\na: 2", "twice"),
        ("loose", "{", "not JSON"),
        ("loose", "[1]", "valid dictionary"),
    ],
)
def test_an_error_stands_at_its_field_and_nothing_is_saved(
    console: Client, tool: Tool, name: str, typed: str, said: str
) -> None:
    errors = errors_of(save(console, tool, **{f"config__{name}": typed}))
    assert set(errors) == {f"config.{name}"}
    assert said in errors[f"config.{name}"]
    assert tool.config == {"count": 5, "hosts": ["a", "b"]}
    assert events_of(tool.pk) == []


def test_help_is_escaped_and_names_bounds_and_default(console: Client, tool: Tool) -> None:
    text = console.get(address(tool)).content.decode()
    assert "How &lt;b&gt;often&lt;/b&gt;. From 1 to 9. Default: 3." in text


# --- The JSON ---


def test_the_json_counts_when_it_was_changed(console: Client, tool: Tool) -> None:
    save(console, tool, config='{"ratio": 0.1}')
    assert tool.config == {"ratio": 0.1}
    assert events_of(tool.pk) == ["config.changed"]


def test_an_unknown_key_in_the_json_is_refused_there(console: Client, tool: Tool) -> None:
    errors = errors_of(save(console, tool, config='{"cuont": 1}'))
    assert errors == {"config": "cuont: Unknown key; did you mean count?"}


def test_fields_and_json_changed_at_once_are_never_mixed(console: Client, tool: Tool) -> None:
    errors = errors_of(save(console, tool, config='{"count": 1}', config__count="2"))
    assert "undo one of the two" in errors["config"]
    assert tool.config["count"] == 5


def test_both_changed_to_the_same_is_no_conflict(console: Client, tool: Tool) -> None:
    save(console, tool, config='{"count": 2, "hosts": ["a", "b"]}', config__count="2")
    assert tool.config["count"] == 2


# --- What is stored and no field can show ---


def test_keys_that_the_type_lost_are_shown_and_never_dropped_in_silence(
    console: Client, tool: Tool
) -> None:
    Tool.objects.filter(pk=tool.pk).update(config={"count": 5, "colour": "red"})
    errors = errors_of(save(console, tool, config__count="6"))
    assert errors == {"config-other": "colour: Unknown key"}
    tool.refresh_from_db()
    assert tool.config == {"count": 5, "colour": "red"}
    page = console.get(address(tool))
    console.post(address(tool), sent_back(page) | {"config-other": "{}"})
    tool.refresh_from_db()
    assert tool.config == {"count": 5}


@pytest.mark.parametrize(
    ("name", "value"),
    [("count", "five"), ("hosts", ["a b\nc"]), ("headers", {"a:b": "c"}), ("title", "a\nb")],
)
def test_a_value_that_its_field_can_not_hold_is_shown_as_json(
    console: Client, tool: Tool, name: str, value: Any
) -> None:
    Tool.objects.filter(pk=tool.pk).update(config={name: value})
    form = console.get(address(tool)).context["adminform"].form
    assert json.loads(form[f"config.{name}"].value()) == value


def test_what_somebody_else_changed_meanwhile_is_kept(console: Client, tool: Tool) -> None:
    page = console.get(address(tool))
    Tool.objects.filter(pk=tool.pk).update(config={"count": 5, "ratio": 0.9})
    console.post(address(tool), sent_back(page) | {"config.count": "8"})
    tool.refresh_from_db()
    assert tool.config == {"count": 8, "ratio": 0.9}


# --- Another type ---


def test_a_new_tool_shows_the_fields_of_the_type_that_was_chosen(console: Client) -> None:
    add = reverse("admin:tools_tool_add")
    page = console.get(add)
    first = console.post(add, sent_back(page) | {"name": "New", "slug": "new", "type": "rich"})
    assert set(errors_of(first)) == {"type"}
    form = first.context["adminform"].form
    assert form["config.count"].value() == "3"
    assert form["name"].value() == "New"
    second = console.post(add, sent_back(first) | {"config.count": "4"})
    assert second.status_code == 302
    assert Tool.objects.get(slug="new").config == {"count": 4}


def test_a_link_can_choose_the_type(console: Client) -> None:
    page = console.get(reverse("admin:tools_tool_add"), {"type": "rich"})
    assert page.context["adminform"].form["config.flag"].value() is True
    values = sent_back(page) | {"name": "New", "slug": "new", "config.flag": None}
    del values["config.flag"]
    assert console.post(reverse("admin:tools_tool_add"), values).status_code == 302
    assert Tool.objects.get(slug="new").config == {"flag": False}


def test_another_type_keeps_the_old_settings_until_they_are_taken_out(
    console: Client, tool: Tool
) -> None:
    page = save(console, tool, type="calculator")
    assert set(errors_of(page)) == {"type"}
    assert tool.type == "rich"
    page = console.post(address(tool), sent_back(page))
    assert page.status_code == 200
    assert "count: Unknown key" in str(page.context["adminform"].form.errors)
    assert console.post(address(tool), sent_back(page) | {"config": "{}"}).status_code == 302
    tool.refresh_from_db()
    assert (tool.type, tool.config) == ("calculator", {})


# --- What is wrong is found ---


def test_the_summary_of_errors_leads_to_the_fields(console: Client) -> None:
    tool = ToolFactory.create(type="fetch", slug="intranet", config={})
    page = save(console, tool, config__allowed_private_networks="10.0.0.0/8\nlocalhost")
    text = page.content.decode()
    assert 'href="#id_config.allowed_private_networks"' in text
    assert 'id="id_config.allowed_private_networks"' in text
    summary = text[text.index('role="alert"') :].split("</div>")[0]
    assert "“localhost” is no network. Write 127.0.0.1/32" in summary
