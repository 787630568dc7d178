"""The OpenAPI document as somebody reads it who has nothing else."""

from collections.abc import Iterator
from typing import Any

import pytest
from drf_spectacular.generators import SchemaGenerator
from jsonschema import (  # type: ignore[import-untyped]  # no types
    Draft202012Validator,
    FormatChecker,
)

from config.api_docs import TAGS
from config.base.rest.pagination import PaginatedView

METHODS = {"get", "post", "put", "patch", "delete"}
# They decide or stop something, once: the second time is 409, the first one's receipt, or nothing.
ONCE_BY_THEMSELVES = {
    "/api/agent/actions/{draft_id}/confirm/",  # its key is in the body
    "/api/agent/actions/{draft_id}/dismiss/",
    "/api/agent/actions/{draft_id}/respond/",
    "/api/agent/actions/{draft_id}/resolve/",
    "/api/agent/memories/{memory_id}/archive/",
    "/api/agent/memories/{memory_id}/restore/",
    "/api/agent/runs/{run_id}/cancel/",
    "/api/agent-documents/trash/{document_id}/restore/",
    "/api/agent-documents/{document_id}/shares/",  # no answer that tells a link is kept
    "/api/jobs/{job_id}/cancel/",
    "/api/jobs/{job_id}/retry/",
    "/api/jobs/{job_id}/run-now/",
    "/api/jobs/kinds/{kind}/pause/",
    "/api/jobs/kinds/{kind}/resume/",
    "/api/jobs/series/{series_id}/pause/",
    "/api/jobs/series/{series_id}/resume/",
    "/api/jobs/series/{series_id}/end/",
    "/api/skills/background-jobs/{skill_job_id}/cancel/",
    "/api/skills/sessions/{session_id}/pause/",
    "/api/skills/sessions/{session_id}/resume/",
    "/api/skills/sessions/{session_id}/cancel/",
}
OPERATORS = (
    "/api/agent-tools/",
    "/api/jobs/kinds/{kind}/",
    "/api/agents/{agent_id}/",
    "/api/skills/evaluations/",
)


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


def test_what_is_for_operators_says_so(schema: Any) -> None:
    for name, operation in operations(schema):
        said = "For operators only." in operation["description"]
        assert said == any(path in name for path in OPERATORS), name


def test_every_operation_has_a_description_of_its_own(schema: Any) -> None:
    for name, operation in operations(schema):
        assert operation["description"].partition("Scope:")[0].strip(), name


def test_every_operation_is_in_a_chapter(schema: Any) -> None:
    chapters = [tag["name"] for tag in schema["tags"]]
    assert chapters == [tag["name"] for tag in TAGS]
    used = {tag for _name, operation in operations(schema) for tag in operation["tags"]}
    assert used == set(chapters)


def test_every_error_names_its_codes(schema: Any) -> None:
    for name, operation in operations(schema):
        errors = {
            status: answer for status, answer in operation["responses"].items() if status >= "4"
        }
        assert {"401", "403", "406", "429"} <= set(errors), name
        for status, answer in errors.items():
            codes = answer["content"]["application/json"]["examples"]
            assert codes, (name, status)
            assert all(f"`{code}`" in answer["description"] for code in codes), (name, status)


def test_what_creates_or_executes_takes_a_key(schema: Any) -> None:
    without = {
        name.removeprefix("post ")
        for name, operation in operations(schema)
        if name.startswith("post")
        and "Idempotency-Key" not in [each["name"] for each in operation.get("parameters", [])]
    }
    assert without == ONCE_BY_THEMSELVES


# --- The words of 3.1 ---


def test_what_may_be_null_says_so_in_the_words_of_3_1(schema: Any) -> None:
    assert schema["openapi"].startswith("3.1")
    assert list(words_of_3_0(schema)) == []
    runs = schema["components"]["schemas"]["PaginatedRunList"]["properties"]
    for name in ("next", "previous"):
        assert runs[name]["type"] == ["string", "null"]


def words_of_3_0(value: Any, place: str = "") -> Iterator[str]:
    """`nullable`, and `exclusiveMinimum` as a flag: keywords, not properties of that name."""
    if isinstance(value, dict):
        if isinstance(value.get("nullable"), bool):
            yield f"{place}: nullable"
        for name in ("exclusiveMinimum", "exclusiveMaximum"):
            if isinstance(value.get(name), bool):
                yield f"{place}: {name}"
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in pairs:
        if isinstance(item, dict | list):
            yield from words_of_3_0(item, f"{place}/{name}")


# --- Examples ---


def bodies(schema: Any) -> Iterator[tuple[str, Any]]:
    for name, operation in operations(schema):
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            yield f"{name} takes {kind}", content
        for status, answer in operation["responses"].items():
            for kind, content in answer.get("content", {}).items():
                yield f"{name} answers {status} {kind}", content


def test_every_body_has_an_example(schema: Any) -> None:
    assert [name for name, content in bodies(schema) if not content.get("examples")] == []


def test_every_example_is_true_to_its_schema(schema: Any) -> None:
    """Also to the formats: ids, times."""
    checked = 0
    for name, content in bodies(schema):
        whole = {**content["schema"], "components": schema["components"]}
        validator = Draft202012Validator(whole, format_checker=FormatChecker())
        for title, example in content["examples"].items():
            problems = [problem.message for problem in validator.iter_errors(example["value"])]
            assert problems == [], (name, title)
            checked += 1
    assert checked > 300


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
