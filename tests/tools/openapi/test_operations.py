"""Operations as configs of tools, and why some can't be one."""

from typing import Any

import pytest

from tests.tools.openapi.conftest import operations_of
from tests.tools.openapi.documents import LIBRARY, PETSTORE, large, small
from tools.configs import validated_config
from tools.openapi import limits, operations, schemas
from tools.openapi.errors import DocumentTooLarge
from tools.openapi.operations import Operation
from tools.openapi.slugs import slug_of
from tools.types.http_api.config import HttpApiConfig
from tools.types.http_api.tool import HttpApiTool


def only(url: str = "", base_url: str = "", **changes: Any) -> Operation:
    [operation] = operations_of(small(**changes), url, base_url).values()
    return operation


def config_of(operation: Operation) -> dict[str, Any]:
    assert operation.problem is None
    assert operation.config is not None
    return operation.config


def body_schema(schema: Any, **more: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    found = only(method="post", operation={"requestBody": {"content": content}}, **more)
    schema_of: dict[str, Any] = config_of(found)["body"]["schema"]
    return schema_of


def parameter(**values: Any) -> dict[str, Any]:
    return {"operation": {"parameters": [{"name": "q", "in": "query", **values}]}}


@pytest.mark.parametrize("document", [PETSTORE, LIBRARY, large()], ids=["pets", "library", "large"])
def test_what_can_be_imported_is_a_config_that_works(document: Any) -> None:
    tool = HttpApiTool()
    for operation in operations_of(document, "http://a.example/openapi.json").values():
        if operation.problem is None:
            config = HttpApiConfig.model_validate(operation.config)
            assert tool.input_model(config).model_json_schema()["type"] == "object"
            assert operation.key.split(" ")[1] in tool.description(config)


def test_operations_are_told_as_the_document_has_them() -> None:
    found = operations_of(PETSTORE)
    assert list(found) == [
        *("GET /pets", "POST /pets", "GET /pets/{petId}", "PUT /pets/{petId}"),
        *("DELETE /pets/{petId}", "POST /pets/{petId}/image"),
    ]
    listed = found["GET /pets"]
    assert (listed.words, listed.summary, listed.tags) == ("listPets", "List all pets", ("pets",))
    assert found["PUT /pets/{petId}"].deprecated
    assert config_of(listed)["about"] == "List all pets. Pages of pets, the newest first."


# --- Servers ---


@pytest.mark.parametrize(
    ("servers", "url", "chosen", "base_url"),
    [
        ([{"url": "https://b.example/v1/"}], "", "", "https://b.example/v1"),
        ([{"url": "/v2"}], "https://c.example/docs/x.json", "", "https://c.example/v2"),
        ([{"url": "v3"}], "https://c.example/docs/x.json", "", "https://c.example/docs/v3"),
        ([], "https://c.example/docs/x.json", "", "https://c.example"),
        ([{"url": "/v2"}], "", "https://d.example/x", "https://d.example/x"),
        ([{"url": "https://b.example"}], "https://c.example/", "/own", "https://c.example/own"),
        (
            [{"url": "https://{host}/", "variables": {"host": {"default": "e.example"}}}],
            "",
            "",
            "https://e.example",
        ),
    ],
)
def test_a_base_url_is_found(servers: Any, url: str, chosen: str, base_url: str) -> None:
    found = only(url, chosen, root={"servers": servers})
    assert config_of(found)["base_url"] == base_url


def test_the_nearest_servers_count() -> None:
    item = {"servers": [{"url": "http://path.example"}]}
    own = {"servers": [{"url": "http://own.example"}]}
    assert config_of(only(item=item))["base_url"] == "http://path.example"
    assert config_of(only(item=item, operation=own))["base_url"] == "http://own.example"


@pytest.mark.parametrize(
    "url", ["/v1", "https://{host}/", "ftp://a.example", "https://u:p@a.example", "", "http://"]
)
def test_a_server_that_is_no_url_is_said(url: str) -> None:
    problem = only(root={"servers": [{"url": url}]}).problem
    assert problem is not None
    assert problem.code == "server_unusable"


# --- Schemas ---


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"allOf": [{"type": "object"}], "nullable": True, "description": "d"},
            {"anyOf": [{"allOf": [{"type": "object"}]}, {"type": "null"}], "description": "d"},
        ),
        (
            {"$ref": "#/components/schemas/A", "nullable": True},
            {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]},
        ),
        ({"type": ["string", "null"], "nullable": True}, {"type": ["string", "null"]}),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMinimum": 3}, {"exclusiveMinimum": 3}),
        ({"oneOf": [{"type": "string"}, True]}, {"oneOf": [{"type": "string"}, True]}),
        ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}),
        ({"required": True, "example": 3, "xml": {}, "$id": "http://x/", "x-y": 1}, {}),
        ({"pattern": "^a(?=b)"}, {}),
        ({"pattern": "^(a+)+$"}, {"pattern": "^(a+)+$"}),
        ({"default": "x" * 300}, {}),
        ({"default": {"a": 1}}, {"default": {"a": 1}}),
        (
            {
                "properties": {"id": {"readOnly": True}, "a": {"writeOnly": True}},
                "required": ["id", "a"],
            },
            {"properties": {"a": {}}, "required": ["a"]},
        ),
        (
            {"properties": {"$ref": {"type": "string"}, "readOnly": {}, "type": {}}},
            {"properties": {"$ref": {"type": "string"}, "readOnly": {}, "type": {}}},
        ),
        (True, {}),
    ],
)
def test_a_schema_is_said_in_the_words_of_2020_12(schema: Any, expected: Any) -> None:
    assert body_schema(schema, schemas={"A": {"type": "object"}}) == expected


def test_only_what_is_led_to_comes_along_and_cycles_stay() -> None:
    schemas_ = {
        "Node": {"properties": {"next": {"$ref": "#/components/schemas/Node"}}},
        "Other": {"type": "string"},
        "odd name!": {"$ref": "#/components/schemas/Node"},
    }
    found = only(
        schemas=schemas_,
        **parameter(schema={"$ref": "#/components/schemas/odd%20name!"}),
    )
    definitions = config_of(found)["definitions"]
    assert definitions == {
        "odd_name_": {"$ref": "#/$defs/Node"},
        "Node": {"properties": {"next": {"$ref": "#/$defs/Node"}}},
    }
    validated_config("http_api", config_of(found))


def test_two_places_of_one_name_are_two_definitions() -> None:
    schemas_ = {"A": {"$defs": {"A": {"type": "integer"}}, "type": "object"}}
    refs = ["#/components/schemas/A", "#/components/schemas/A/$defs/A"]
    found = body_schema({"anyOf": [{"$ref": ref} for ref in refs]}, schemas=schemas_)
    assert found == {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A_2"}]}


def test_words_of_a_document_are_bounded() -> None:
    long = "word\u200b\n" * 5000
    found = config_of(
        only(operation={"description": long, **parameter(description=long)["operation"]})
    )
    assert len(found["about"]) == 1000
    assert len(found["parameters"][0]["description"]) == 300
    assert "\n" not in str(found)
    assert "\u200b" not in str(found)


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _level in range(levels):
        schema = {"items": schema}
    return schema


PROBLEMS: list[tuple[dict[str, Any], str]] = [
    ({"method": "trace"}, "method_unsupported"),
    ({"method": "options"}, "method_unsupported"),
    (parameter(schema={"$ref": "other.yaml#/A"}), "reference_external"),
    (parameter(schema={"$ref": "https://b.example/a.json"}), "reference_external"),
    (parameter(schema={"$ref": "#/components/schemas/Gone"}), "reference_broken"),
    ({"operation": {"parameters": [{"$ref": "#/components/parameters/gone"}]}}, "reference_broken"),
    ({"operation": {"parameters": [3]}}, "reference_broken"),
    (
        {
            "operation": {"parameters": [{"$ref": "#/x"}]},
            "root": {"x": {"$ref": "#/y"}, "y": {"$ref": "#/x"}},
        },
        "reference_broken",
    ),
    (parameter(schema={"$dynamicRef": "#a"}), "schema_unusable"),
    (parameter(schema=3), "schema_unusable"),
    (parameter(schema=deep(45)), "schema_unusable"),
    ({"operation": {"parameters": [{"in": "query"}]}}, "parameter_unsupported"),
    (parameter(**{"in": "body"}), "parameter_unsupported"),
    (parameter(**{"in": "header", "name": "Host", "required": True}), "parameter_unsupported"),
    (parameter(**{"in": "cookie", "name": "a;b", "required": True}), "parameter_unsupported"),
    (parameter(name="x" * 101), "parameter_unsupported"),
    (
        {"method": "get", "operation": {"requestBody": {"required": True, "content": {}}}},
        "body_unsupported",
    ),
    (
        {
            "method": "post",
            "operation": {"requestBody": {"required": True, "content": {"image/png": {}}}},
        },
        "body_unsupported",
    ),
    (
        {
            "method": "post",
            "operation": {
                "requestBody": {
                    "required": True,
                    "content": {
                        "multipart/form-data": {
                            "schema": {
                                "required": ["f"],
                                "properties": {"f": {"items": {"format": "binary"}}},
                            }
                        }
                    },
                }
            },
        },
        "body_unsupported",
    ),
    (
        {
            **parameter(schema={"$ref": "#/components/schemas/S0"}),
            "schemas": {
                f"S{n}": {"items": {"$ref": f"#/components/schemas/S{n + 1}"}} for n in range(250)
            },
        },
        "too_large",
    ),
    (
        {
            **parameter(schema={"$ref": "#/components/schemas/S"}),
            "schemas": {"S": {"enum": ["x" * 100] * 1000}},
        },
        "too_large",
    ),
]


@pytest.mark.parametrize(("changes", "code"), PROBLEMS)
def test_why_an_operation_can_not_be_imported_is_said(changes: dict[str, Any], code: str) -> None:
    found = only(**changes)
    assert found.problem is not None
    assert (found.problem.code, found.config) == (code, None)
    assert found.problem.message


def test_what_may_be_left_out_is() -> None:
    found = only(
        method="post",
        operation={
            "parameters": [
                {"name": "Host", "in": "header"},
                {"name": "X-Method-Override", "in": "header"},
                {"name": "a;b", "in": "cookie"},
                {"name": "other", "in": "path", "required": True},
                {"name": "Content-Type", "in": "header", "required": True},
            ],
            "requestBody": {"content": {"image/png": {}}},
        },
    )
    assert set(config_of(found)) == {"base_url", "method", "path"}


def test_a_brace_that_nobody_describes_is_a_text() -> None:
    assert config_of(only(path="/a/{id}"))["parameters"] == [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    ]


def test_a_file_that_may_be_left_out_is() -> None:
    post = operations_of(LIBRARY, "http://a.example/")["POST /books"]
    assert set(config_of(post)["body"]["schema"]["properties"]) == {"title", "about"}


def test_a_path_by_reference_is_followed() -> None:
    root = {"paths": {"/a": {"$ref": "#/x"}, "/b": {"$ref": "#/gone"}, "x-c": 1}, "x": {"get": {}}}
    assert list(operations_of(small(root=root))) == ["GET /a"]


@pytest.mark.parametrize(
    "operation", [None, 3, [], {"parameters": 3}, {"tags": 3, "summary": 3, "security": 3}]
)
def test_what_is_strange_is_no_crash(operation: Any) -> None:
    assert len(operations_of(small(root={"paths": {"/a": {"get": operation}}}))) == 1


# --- Limits ---


def test_a_document_of_many_operations_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "MAX_OPERATIONS", 239)
    with pytest.raises(DocumentTooLarge):
        operations_of(large(240))
    assert limits.MAX_OPERATIONS > 1000


def test_all_operations_together_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "MAX_CONVERTED_NODES", 400)
    with pytest.raises(DocumentTooLarge):
        operations_of(large(240))


# --- Slugs ---


@pytest.mark.parametrize(
    ("words", "prefix", "slug"),
    [
        ("listPets", "", "list_pets"),
        ("library.books.update", "", "library_books_update"),
        ("getHTTPStatus2XX", "", "get_http_status2_xx"),
        ("get /pets/{petId}", "", "get_pets_pet_id"),
        ("listPets", "pets_", "pets_list_pets"),
        ("列出", "", "operation"),
        ("x" * 80, "", "x" * 50),
        ("taken", "", "taken_3"),
        ("y" * 50, "", "y" * 48 + "_2"),
    ],
)
def test_slugs_are_made_of_operation_ids(words: str, prefix: str, slug: str) -> None:
    assert slug_of(words, prefix, {"taken", "taken_2", "y" * 50}) == slug


def test_so_many_patterns_are_compiled_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "MAX_PATTERNS", 2)
    told = {n: {"pattern": f"^{n}$"} for n in "abcd"} | {"e": {"pattern": "^a$"}}
    made = body_schema({"type": "object", "properties": told})["properties"]
    assert [name for name in told if "pattern" in made[name]] == ["a", "b", "e"]
    assert set(made) == set(told)
