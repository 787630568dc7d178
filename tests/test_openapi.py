"""The OpenAPI document as somebody reads it who has nothing else."""

from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator

from config.base.rest.pagination import PaginatedView

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def schema() -> Any:
    return SchemaGenerator().get_schema(request=None, public=True)


def operations(schema: Any) -> list[tuple[str, Any]]:
    return [
        (f"{method} {path}", operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    ]


def test_every_operation_has_a_summary_and_its_scope(schema: Any) -> None:
    assert len(operations(schema)) >= 25
    for name, operation in operations(schema):
        assert operation.get("summary"), name
        assert "Scope: `" in operation["description"], name


def test_no_operation_says_what_a_class_says_to_readers_of_the_code(schema: Any) -> None:
    said: dict[str, list[str]] = {}
    for name, operation in operations(schema):
        text = operation["description"].partition("Scope:")[0].strip()
        assert str(PaginatedView.__doc__) not in text, name
        assert "Base of" not in text, name
        if text:
            said.setdefault(text, []).append(name)
    assert [names for names in said.values() if len(names) > 1] == []


@pytest.mark.parametrize(
    ("field", "component"),
    [
        ("preview", "Preview"),
        ("targets", "Target"),
        ("decision", "ToolDecision"),
        ("error", "CallError"),
    ],
)
def test_the_parts_of_a_draft_are_components(schema: Any, field: str, component: str) -> None:
    shape = schema["components"]["schemas"]["Draft"]["properties"][field]
    assert f"#/components/schemas/{component}" in str(shape)


@pytest.mark.parametrize(
    "heading", ["Signing in", "Scopes", "Errors", "Lists", "Sending again", "Streams"]
)
def test_the_introduction_says_how_to_begin(schema: Any, heading: str) -> None:
    assert f"\n## {heading}\n" in schema["info"]["description"]
