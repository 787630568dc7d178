"""What every endpoint does with requests that are odd, on both databases: never a 5xx."""

import json
import re
from typing import Any

import pytest
from rest_framework.test import APIClient

from agents.models import Agent
from config.base.models import User
from tests.clients import codes_of, with_session, with_token
from tests.test_strangers import routes
from tools.models import Tool

pytestmark = [pytest.mark.django_db, pytest.mark.both]

ENDPOINTS = sorted(
    "/" + re.sub(r"<(int|uuid|str):\w+>", "01a2297a-2f6c-7877-a042-4dc5f2ee3d77", route)
    for route in set(routes())
    if route.startswith("api/")
    and route not in {"api/schema/", "api/docs/", "api/error-codes/"}
    and "<int" not in route
)
OF_OPERATORS = re.compile(
    "/api/(agent-tools/|jobs/kinds/0|agents/[^/]+/tools/|skills/evaluations/)"
)
MESSAGES = "/api/agent/messages/"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def test_there_are_endpoints() -> None:
    assert len(ENDPOINTS) > 25


@pytest.fixture
def hers(alice: User) -> APIClient:
    return with_token(alice)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_options_tells_a_token_of_any_scope_what_there_is(alice: User, path: str) -> None:
    response = with_token(alice, ["agent"]).options(path)
    operators_only = bool(OF_OPERATORS.match(path))
    assert response.status_code == (403 if operators_only else 200)
    if not operators_only:
        assert "OPTIONS" in response.headers["Allow"]


@pytest.mark.parametrize("path", ENDPOINTS)
def test_another_method_is_405_and_says_which_there_are(operator: User, path: str) -> None:
    client = with_session(operator)
    allowed = set(client.options(path).headers["Allow"].split(", "))
    others = [method for method in METHODS if method not in allowed]
    assert others
    for method in others:
        response = client.generic(method, path)
        assert (response.status_code, codes_of(response)) == (405, ["method_not_allowed"])
        assert set(response.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "path", ["/api/agents/", "/api/agent/runs/", "/api/agent-documents/", "/api/agent/actions/"]
)
def test_head_is_get_without_a_body(hers: APIClient, path: str) -> None:
    got, head = hers.get(path), hers.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Type"] == got.headers["Content-Type"]


def test_another_content_type_is_not_given(hers: APIClient) -> None:
    response = hers.get("/api/agents/", headers={"Accept": "text/csv"})
    assert (response.status_code, codes_of(response)) == (406, ["not_acceptable"])


def strange_values() -> list[Any]:
    deep: Any = "x"
    for _ in range(60):
        deep = [deep]
    return ["a\0b", "\ud800", 10**400, -(10**30), 1e308, {"\0": 1}, {"\udfff": "x"}, deep, [None]]


@pytest.mark.parametrize("value", strange_values(), ids=lambda value: repr(value)[:20])
def test_a_strange_value_is_no_accident_of_ours(operator: User, value: Any) -> None:
    tool = Tool.objects.get(slug="calculator")
    Agent.objects.create(slug="guide", name="Guide")
    client = with_token(operator)
    bodies = {
        f"/api/agent-tools/{tool.pk}/execute/": {"input": {"expression": value}},
        "/api/agent-tools/": {"name": "x", "slug": "x", "type": "fetch", "config": {"x": value}},
        "/api/agent-documents/": {"title": "x", "content": value},
        MESSAGES: {"text": "hi", "context_version": value},
        "/api/agent/actions/01a2297a-2f6c-7877-a042-4dc5f2ee3d77/confirm/": {
            "expected_version": 1,
            "idempotency_key": "k",
            "arguments": {"x": value},
        },
    }
    for path, body in bodies.items():
        raw = json.dumps(body)
        for key in ("", "once"):
            headers = {"Idempotency-Key": key} if key else {}
            response = client.generic(
                "POST", path, raw, content_type="application/json", headers=headers
            )
            assert response.status_code < 500, (path, response.content)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b'{"text": "\xff"}', "application/json"),
        (b"\xef\xbb\xbf{}", "application/json"),
        (b'{"text": NaN}', "application/json"),
        (b'{"text": ' + b"9" * 5000 + b"}", "application/json"),
        (b"[" * 100_000, "application/json"),
        (b"[]", "application/json"),
        (b'"text"', "application/json"),
        (b"null", "application/json"),
        (b"", "application/json"),
        (b"text=hi", "application/x-www-form-urlencoded"),
        (b"<text/>", "application/xml"),
        (b'{"text": "hi"}', "nonsense"),
        (b'{"text": "hi"}', ""),
    ],
)
def test_a_body_that_is_none_is_the_clients_error(hers: APIClient, raw: Any, kind: str) -> None:
    for path in (MESSAGES, "/api/agent-documents/"):
        response = hers.generic("POST", path, raw, content_type=kind)
        assert response.status_code in (400, 415), (path, response.content)
        assert codes_of(response)


@pytest.mark.parametrize("value", ["%00", "%ff", "%F0%9F%92%A9", "9" * 400, "-1", "null", "[]", ""])
def test_a_strange_query_is_no_accident_of_ours(operator: User, value: str) -> None:
    client = with_token(operator)
    names = ("page", "page_size", "ordering", "state", "q", "tag", "type", "status", "from", "run")
    for path in ("/api/agent/actions/", "/api/agent-documents/", "/api/agent-tools/logs/"):
        for name in (*names, "user", "tool"):
            assert client.get(f"{path}?{name}={value}").status_code in (200, 400, 404)
