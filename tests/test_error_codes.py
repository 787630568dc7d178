"""docs/error-codes.md names every code that a client can meet, and none that is gone."""

import ast
import re
from typing import Any

from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from config.api_docs import DESCRIPTION
from scripts.error_codes import GATES, PAGE, ROOT, render

FIELDS = {
    "last_used_at",
    "uses_left",
    "expires_at",
    "tool_call",
    "standing_approval_id",
    "answered_by_person",
}  # of rows that gates read and write

CODE = re.compile(r"`(\w+)` \|")


def codes(text: str) -> list[str]:
    return [code for section in text.split("\n## ")[1:] for code in CODE.findall(section)]


def test_the_page_has_every_code_of_the_code() -> None:
    assert codes(PAGE.read_text()) == codes(render()), "run: python -m scripts.error_codes"


def test_it_is_a_page_worth_having() -> None:
    found = codes(PAGE.read_text())
    assert {"stale_version", "throttled", "scope_missing", "domain_not_allowed"} <= set(found)
    assert len(found) > 80


def test_no_placeholder_is_left_in_it() -> None:
    assert re.findall(r"%\(\w+\)|\{\w+\}", PAGE.read_text()) == []


def test_it_holds_what_answers_say_beside_errors() -> None:
    told = {"needs_confirmation", "needs_consent", "quota_exceeded", "refused", "secret_missing"}
    gates = {"tool_disabled", "tool_quota_exceeded", "tainted_deletion", "standing_approval"}
    assert told | gates <= set(codes(PAGE.read_text()))


def test_no_gate_says_a_code_that_it_lacks() -> None:
    """Whatever a gate is written like: a word with `_` in it is a code."""
    files = [path for gate in GATES for path in ([ROOT / gate] if gate.endswith(".py")
             else (ROOT / gate).glob("*.py"))]  # fmt: skip
    words = {
        node.value
        for path in files
        if path.name != "__init__.py"  # names that it passes on
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.fullmatch(r"[a-z]+(_[a-z]+)+", node.value)
    }
    assert words - FIELDS <= set(codes(PAGE.read_text()))


def test_the_product_serves_it(client: Client) -> None:
    response = client.get("/api/error-codes/")
    assert response.content == PAGE.read_bytes()
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "/api/error-codes/" in DESCRIPTION
    assert client.post("/api/error-codes/").status_code == 405


def test_every_code_of_the_openapi_document_is_on_it() -> None:
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    named = {
        code
        for methods in schema["paths"].values()
        for operation in methods.values()
        for answer in operation["responses"].values()
        for code in re.findall(r"`([a-z_]+)`", answer["description"])
    }
    assert named - {"If"} <= set(codes(PAGE.read_text()))
