"""What is written down of tool types, from their code."""

import json
from enum import StrEnum
from io import StringIO
from typing import Annotated, Any, Literal

import pytest
from django.core.management import CommandError, call_command
from pydantic import BaseModel, ConfigDict, Field

from config.base.outbound.errors import (
    DomainBlocked,
    DomainNotAllowed,
    OutboundError,
    OutboundRefused,
)
from tools.docs.catalogue import describe_type
from tools.docs.limits import limits_in_words
from tools.docs.markdown import markdown_of
from tools.docs.schema import FieldDoc, fields_of_model, fields_of_schema
from tools.docs.types import ErrorCode, docs_of, error_codes_in, undescribed_fields
from tools.registry import AnyToolType, get_tool_type, list_tool_types
from tools.secrets.errors import (
    SecretHostRefused,
    SecretKeyMissing,
    SecretNeedsHttps,
    SecretUnknown,
    SecretUnreadable,
)
from tools.testing import FakeConfig, FakeEcho, Peer
from tools.tool_type import ToolConfig

SHIPPED = list_tool_types()


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Column(BaseModel):
    name: str = Field(min_length=1, max_length=9, description="Its name.")
    colour: Colour = Field(Colour.RED, description="Of its head.")


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float = Field(gt=0, description="In metres.")


class Square(BaseModel):
    kind: Literal["square"]
    side: int = Field(multiple_of=2, description="In metres.")


class Tree(BaseModel):
    children: list["Tree"] = Field(default_factory=list, description="Below it.")


class Rich(BaseModel):
    columns: list[Column] = Field(max_length=3, description="Of the table.")
    shape: Annotated[Circle | Square, Field(discriminator="kind")] = Field(description="One.")
    parent: Column | None = Field(None, description="Above.")
    by_name: dict[str, Column] = Field(default_factory=dict, description="Each.")
    pair: tuple[int, str] = Field((1, "a"), description="Both.")
    limit: Annotated[int, Field(ge=1)] | None = Field(None, description="Most.")
    hosts: list[Annotated[str, Field(max_length=5)]] = Field(["*"], description="Where.")
    tree: Tree | None = Field(None, description="All of it.")
    made: list[str] = Field(default_factory=lambda: ["x"], description="By a factory.")
    anything: Any = None


def by_path(fields: list[FieldDoc]) -> dict[str, FieldDoc]:
    return {field.path: field for field in fields}


RICH = by_path(fields_of_model(Rich))


def test_nested_objects_lists_and_unions_are_told_field_by_field() -> None:
    assert {
        "columns",
        "columns[].name",
        "columns[].colour",
        "shape (Circle).radius",
        "shape (Square).side",
        "parent.name",
        "by_name.*.colour",
        "tree.children",
    } <= set(RICH)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("columns", "list of object"),
        ("columns[].colour", "red | blue"),
        ("shape (Circle).kind", "circle"),
        ("parent", "object | null"),
        ("by_name", "object of object"),
        ("pair", "list of (integer, string)"),
        ("limit", "integer | null"),
        ("hosts", "list of string"),
        ("anything", "any value"),
    ],
)
def test_a_kind_is_said_in_words(path: str, kind: str) -> None:
    assert RICH[path].kind == kind


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("columns", "at most 3 items"),
        ("columns[].name", "at least 1 character, at most 9 characters"),
        ("shape (Circle).radius", "> 0"),
        ("shape (Square).side", "a multiple of 2"),
        ("limit", "≥ 1"),
        ("hosts", "each: at most 5 characters"),
        ("parent", ""),
    ],
)
def test_limits_are_said_in_words(path: str, words: str) -> None:
    assert limits_in_words(RICH[path]) == words


def test_defaults_are_told_those_of_factories_too() -> None:
    assert RICH["made"].default == ["x"]
    assert RICH["columns[].colour"].default == "red"
    assert RICH["columns"].required
    assert not RICH["made"].required


def test_what_holds_itself_is_told_once() -> None:
    assert [path for path in RICH if path.startswith("tree")] == ["tree", "tree.children"]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {"a": True}},
        {"properties": {"a": {"$ref": "#/$defs/none"}}},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"properties": {"a": {"type": ["string", "null"], "additionalProperties": True}}},
        {"properties": {"a": {"allOf": [{"properties": {"b": {}}}], "items": False}}},
    ],
)
def test_a_strange_schema_is_told_as_far_as_it_goes(schema: dict[str, Any]) -> None:
    paths = [field.path for field in fields_of_schema(schema)]
    assert paths[:1] == (["a"] if schema else [])


# --- Types ---


@pytest.mark.parametrize("tool_type", SHIPPED, ids=lambda found: str(found.name))
def test_a_shipped_type_says_what_each_field_is_for_and_how_it_fails(
    tool_type: AnyToolType,
) -> None:
    docs = docs_of(tool_type)
    assert undescribed_fields(docs) == []
    assert docs.purpose
    assert docs.error_codes


@pytest.mark.parametrize("tool_type", SHIPPED, ids=lambda found: str(found.name))
def test_each_shipped_type_names_its_error_codes(tool_type: AnyToolType) -> None:
    codes = [one.code for one in docs_of(tool_type).error_codes]
    assert codes
    assert len(set(codes)) == len(codes)


OF_SECRETS = {
    error.code
    for error in (
        SecretUnknown,
        SecretHostRefused,
        SecretNeedsHttps,
        SecretKeyMissing,
        SecretUnreadable,
    )
}
OF_HOST_LISTS = {DomainBlocked.code, DomainNotAllowed.code}
OF_THE_CLIENT = {
    error.code
    for error in (*OutboundRefused.__subclasses__(), *OutboundError.__subclasses__())
    if error.__module__ == OutboundError.__module__ and error is not OutboundRefused
}


@pytest.mark.parametrize("name", ["fetch", "http_api", "mcp"])
def test_what_calls_others_names_all_that_the_client_and_its_secrets_can_say(name: str) -> None:
    named = {one.code for one in docs_of(get_tool_type(name)).error_codes}
    lists = set() if name == "fetch" else OF_HOST_LISTS
    assert (OF_THE_CLIENT | OF_SECRETS) - lists <= named


def test_a_field_without_a_description_is_found(peer: Peer) -> None:
    assert undescribed_fields(docs_of(FakeEcho())) == [
        "config.risk",
        "config.requires_approval",
        "config.idempotent",
        "arguments.text",
    ]


class Needy(FakeConfig):
    model_config = ConfigDict(json_schema_extra={"examples": [{"server": "a.example"}]})
    server: str = Field(description="Whom to ask.")


class NeedyEcho(FakeEcho):
    config_model = Needy  # type: ignore[assignment]  # a config unlike its parent's

    def description(self, config: FakeConfig) -> str:
        assert isinstance(config, Needy)
        return f"Asks {config.server}. Error codes: late (it took | too long), and gone."


def test_a_type_that_must_be_set_up_is_told_by_its_example() -> None:
    docs = docs_of(NeedyEcho())
    assert docs.example == {"server": "a.example"}
    assert docs.purpose == "Asks a.example."
    assert docs.arguments is not None
    assert describe_type(NeedyEcho()).description == docs.description
    text = markdown_of([docs])
    assert '"server": "a.example"' in text
    assert "- `late`: it took | too long" in text


def test_a_type_without_an_example_says_that_it_depends() -> None:
    class Bare(ToolConfig):
        server: str = Field(description="Whom to ask.")

    class BareEcho(FakeEcho):
        config_model = Bare  # type: ignore[assignment]  # a config unlike its parent's

    docs = docs_of(BareEcho())
    assert (docs.arguments, docs.example, docs.purpose) == (None, None, "")
    assert "They depend on the settings." in markdown_of([docs])


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Adds. Error codes: empty, limit.", ["empty", "limit"]),
        ("Error codes: a_b (x, y: z), gone.\nMore, words.", ["a_b", "gone"]),
        ("error code: `only`", ["only"]),
        ("Nothing can go wrong.", []),
        ("Error codes:", []),
    ],
)
def test_error_codes_are_found_where_a_type_names_them(text: str, codes: list[str]) -> None:
    assert [one.code for one in error_codes_in(text)] == codes


def test_the_meaning_of_a_code_is_what_stands_in_brackets() -> None:
    assert error_codes_in("Error codes: gap (clocks\nskip it), limit") == [
        ErrorCode(code="gap", meaning="clocks skip it"),
        ErrorCode(code="limit"),
    ]


# --- The command ---


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("describe_tools", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_tells_all_types_as_markdown() -> None:
    text = told()
    for tool_type in SHIPPED:
        assert f"(`{tool_type.name}`)" in text
    assert "| `max_redirects` | integer | `5` | ≥ 0, ≤ 20 |" in text


def test_a_cell_stays_in_its_table() -> None:
    [row] = [line for line in told("fetch").splitlines() if line.startswith("| `parse_mode`")]
    assert row.count(" | ") == 4
    assert r"raw \| markdown \| json" in row


def test_the_command_tells_one_type_as_json() -> None:
    [fetch] = json.loads(told("fetch", "--format", "json"))
    fields = {field["path"]: field for field in fetch["config"]}
    assert fields["timeout_ms"]["default"] == 10_000
    assert fields["timeout_ms"]["limits"] == [{"minimum": 1, "maximum": 120_000}]
    assert fetch["annotations"]["open_world"] is True


def test_an_unknown_type_is_named_with_those_that_are_known() -> None:
    with pytest.raises(CommandError, match="calculator"):
        told("abacus")


def test_the_worst_is_that_of_any_config_and_no_example_is_a_fact() -> None:
    for name in ("http_api", "mcp"):
        docs = docs_of(get_tool_type(name))
        worst = docs.annotations or {}
        assert (worst["risk"], worst["read_only"], worst["destructive"]) == ("L3", False, True)
        assert worst["requires_approval"]
    for name in ("http_api", "mcp", "web_search"):
        docs = docs_of(get_tool_type(name))
        assert docs.purpose
        assert "example" not in docs.purpose
        assert "pet" not in docs.purpose
