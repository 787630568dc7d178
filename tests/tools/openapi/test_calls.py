"""Three documents imported and called: what arrives at a live server is what they describe."""

import json
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.test import Client
from django.urls import reverse

from config.base.ids import uuid7
from config.base.models import User
from tests.tools.api import Api
from tests.tools.conftest import actor_of, context_for
from tests.tools.openapi.conftest import Import, Peer
from tests.tools.openapi.documents import LIBRARY, PETSTORE, large
from tests.tools.secrets import make_secret
from tools.configs import load_config
from tools.drafts import confirm_draft
from tools.models import ActionDraft, Tool, ToolCall
from tools.pipeline import call_tool
from tools.registry import get_tool_type

pytestmark = pytest.mark.django_db

BASE = "http://a.example/v1"
KEY = "sk-live-petstore-1"


@pytest.fixture
def pets(operator: User, imports: Import, server: Peer) -> dict[str, Tool]:
    make_secret(operator, value=KEY)
    done = imports(
        PETSTORE,
        base_url=BASE,
        secrets={"api_key": "api", "store_auth": "api"},
        enabled=True,
        write_domains=("a.example",),
    )
    return {tool.slug: tool for tool in done.created}


def answer_of(tool: Tool, user: User, arguments: dict[str, Any]) -> dict[str, Any]:
    outcome = call_tool(tool, arguments, context_for(user))
    assert outcome.result is not None, outcome.error or outcome.draft
    return outcome.result.data


def error_of(tool: Tool, user: User, arguments: dict[str, Any]) -> str:
    outcome = call_tool(tool, arguments, context_for(user))
    assert outcome.error is not None
    return outcome.error.code


# --- Petstore-like ---

PET_CALLS: list[tuple[str, dict[str, Any], str, str, bytes]] = [
    ("list_pets", {}, "GET /v1/pets HTTP/1.1", "", b""),
    (
        "list_pets",
        {"limit": 5, "tags": ["a", "b c"], "born": "2020-01-31"},
        "GET /v1/pets?limit=5&tags=a&tags=b%20c&born=2020-01-31 HTTP/1.1",
        "",
        b"",
    ),
    ("show_pet_by_id", {"petId": "7/x"}, "GET /v1/pets/7%2Fx HTTP/1.1", "", b""),
    (
        "create_pet",
        {"body": {"name": "Rex", "tag": None, "friends": [{"name": "Ada"}]}},
        "POST /v1/pets HTTP/1.1",
        "application/json",
        b'{"name": "Rex", "tag": null, "friends": [{"name": "Ada"}]}',
    ),
    (
        "update_pet_with_form",
        {"petId": "7", "body": {"name": "R&x", "status": "sold"}},
        "PUT /v1/pets/7 HTTP/1.1",
        "application/x-www-form-urlencoded",
        b"name=R%26x&status=sold",
    ),
    ("update_pet_with_form", {"petId": "7"}, "PUT /v1/pets/7 HTTP/1.1", "", b""),
    ("delete_pet", {"petId": "7"}, "DELETE /v1/pets/7 HTTP/1.1", "", b""),
]


@pytest.mark.parametrize(("slug", "arguments", "line", "content_type", "body"), PET_CALLS)
def test_a_pet_store_gets_what_it_describes(
    pets: dict[str, Tool],
    server: Peer,
    alice: User,
    slug: str,
    arguments: dict[str, Any],
    line: str,
    content_type: str,
    body: bytes,
) -> None:
    data = answer_of(pets[slug], alice, arguments)
    assert (data["status_code"], data["content"]) == (200, {"ok": True})
    first, headers, sent = server.last
    assert (first, headers.get("content-type", ""), sent) == (line, content_type, body)
    assert headers["host"] == "a.example"
    assert ("idempotency-key" in headers) is not first.startswith("GET")
    expected = {"list_pets": None, "delete_pet": f"Bearer {KEY}"}.get(slug, KEY)
    assert headers.get("authorization", headers.get("x-api-key")) == expected


@pytest.mark.parametrize(
    ("slug", "arguments"),
    [
        ("list_pets", {"limit": 101}),
        ("list_pets", {"limit": "5"}),
        ("list_pets", {"colour": "red"}),
        ("show_pet_by_id", {}),
        ("create_pet", {}),
        ("create_pet", {"body": {"name": "Rex", "id": 7}}),
        ("create_pet", {"body": {"name": "x" * 41}}),
        ("create_pet", {"body": {"name": "Rex", "friends": [{"nam": "Ada"}]}}),
        ("create_pet", {"body": {"name": "Rex", "country": False}}),
    ],
)
def test_what_does_not_fit_is_not_sent(
    pets: dict[str, Tool], server: Peer, alice: User, slug: str, arguments: dict[str, Any]
) -> None:
    assert error_of(pets[slug], alice, arguments) == "invalid_arguments"
    assert server.requests == []


def test_a_missing_argument_is_told_by_its_name(
    pets: dict[str, Tool], operator: User, server: Peer
) -> None:
    path = f"/api/agent-tools/{pets['show_pet_by_id'].pk}/execute/"
    _status, answer = Api(operator, ["tools:execute"])("POST", path, {"input": {}})
    assert answer["error"]["code"] == "invalid_arguments"
    assert answer["error"]["message"].startswith("petId: ")
    assert server.requests == []


def test_a_missing_argument_is_told_at_its_field(
    pets: dict[str, Tool], operator: User, client: Client
) -> None:
    client.force_login(operator)
    sent = {"key": uuid7(), "arguments": "{}", "arguments-shown": "{}", "run": "1"}
    page = client.post(
        reverse("admin:tools_tool_try_it", args=[pets["show_pet_by_id"].pk]),
        {**sent, "arguments.petId": ""},
    )
    assert set(page.context["form"].errors) == {"arguments.petId"}


# --- oneOf, allOf, nullable; path, query, header and cookie ---


@pytest.fixture
def library(imports: Import, server: Peer) -> dict[str, Tool]:
    done = imports(
        LIBRARY, url="http://lib.example/docs/x.json", enabled=True, write_domains=("lib.example",)
    )
    return {tool.slug: tool for tool in done.created}


def test_a_library_gets_parameters_of_every_kind(
    library: dict[str, Tool], server: Peer, alice: User
) -> None:
    arguments = {
        "shelf": "a/b",
        "book": [1, 2],
        "filter": {"owner": "me & you", "year": 1999},
        "fields": ["title", "author"],
        "options": {"deep": [1]},
        "X-Reader": "r",
        "X-Ids": [1, 2],
        "session": "s=1; t",
        "body": {"year": None, "author": {"type": "person", "born": 1815}, "title": "xyz"},
    }
    answer_of(library["library_books_update"], alice, arguments)
    first, headers, body = server.last
    method, target, _version = first.split(" ")
    url = urlsplit(target)
    assert (method, url.path) == ("PATCH", "/api/shelves/a%2Fb/books/;book=1;book=2")
    assert parse_qsl(url.query) == [
        ("filter[owner]", "me & you"),
        ("filter[year]", "1999"),
        ("fields[]", "title|author"),
        ("options", '{"deep": [1]}'),
    ]
    assert (headers["x-reader"], headers["x-ids"]) == ("r", "1,2")
    assert headers["cookie"] == "session=s%3D1%3B%20t"
    assert headers["content-type"] == "application/merge-patch+json"
    assert json.loads(body) == arguments["body"]


@pytest.mark.parametrize(
    ("body", "fits"),
    [
        ({"author": None, "year": None, "kind": None}, True),
        ({"author": {"type": "company"}, "year": 1, "kind": "poem"}, True),
        ({"author": {"type": "ghost"}}, False),
        ({"author": {"type": "person"}}, False),
        ({"year": 0}, False),
        ({"year": "1"}, False),
        ({"kind": "essay"}, False),
        ({"title": None}, False),
        (None, False),
    ],
)
def test_a_library_gets_only_books_of_its_kind(
    library: dict[str, Tool], server: Peer, alice: User, body: Any, fits: bool
) -> None:
    tool, arguments = library["library_books_update"], {"shelf": "a", "book": [1], "body": body}
    if fits:
        answer_of(tool, alice, arguments)
        assert json.loads(server.last[2]) == body
    else:
        assert error_of(tool, alice, arguments) == "invalid_arguments"
        assert server.requests == []


def test_a_multipart_form_arrives_in_parts(
    library: dict[str, Tool], server: Peer, alice: User
) -> None:
    about = {"type": "person", "born": 1}
    answer_of(library["post_books"], alice, {"body": {"title": "T", "about": about}})
    _first, headers, body = server.last
    boundary = headers["content-type"].partition("boundary=")[2]
    parts = body.decode().split(f"--{boundary}")[1:-1]
    assert [part.split("\r\n\r\n")[1].strip() for part in parts] == ["T", json.dumps(about)]


# --- Many ---


def test_more_than_two_hundred_operations_work(imports: Import, server: Peer, alice: User) -> None:
    done = imports(large(240), enabled=True, write_domains=("things.example",))
    assert len({tool.slug for tool in done.created}) == len(done.created) == 240
    for number in range(0, 240, 5):
        tool = done.created[number]
        body = {"body": {"name": "x", "next": {"next": {}}}} if number % 4 in {1, 2} else {}
        answer_of(tool, alice, {"id": number, "trace": "t", **body})
        method = ("GET", "POST", "PUT", "DELETE")[number % 4]
        path = f"/v{number % 3}/things-{number}/{number}?trace=t"
        assert server.last[0] == f"{method} {path} HTTP/1.1"
    assert len(imports(large(240)).unchanged) == 240


# --- Writes wait for a person; REST ---


@pytest.mark.both
def test_a_write_waits_for_a_person_and_is_sent_as_it_was_shown(
    imports: Import, server: Peer, alice: User
) -> None:
    [tool] = imports(large(2), operations=["POST /v1/things-1/{id}"], enabled=True).created
    outcome = call_tool(tool, {"id": 3, "body": {"name": "x"}}, context_for(alice, confirm=True))
    draft = outcome.draft
    assert draft is not None
    assert server.requests == []
    shown = draft.plan["preview"]["text"]
    assert shown.startswith("POST http://things.example/v1/things-1/3\n")
    confirm_draft(actor_of(alice), draft.pk, expected_version=1, idempotency_key="k")
    assert ActionDraft.objects.get().state == "executed"
    first, headers, body = server.last
    assert (first, body) == ("POST /v1/things-1/3 HTTP/1.1", b'{"name": "x"}')
    assert headers["idempotency-key"]


def test_rest_executes_an_imported_tool(
    pets: dict[str, Tool], server: Peer, operator: User
) -> None:
    tool = pets["show_pet_by_id"]
    path = f"/api/agent-tools/{tool.pk}/execute/"
    status, answer = Api(operator)("POST", path, {"input": {"petId": "7"}})
    assert (status, answer["success"]) == (200, True)
    assert answer["data"]["content"] == {"ok": True}
    assert answer["metadata"]["status_code"] == 200
    assert ToolCall.objects.get().receipt == {"status_code": 200, "host": "a.example"}
    status, answer = Api(operator)("POST", path, {"input": {"petId": "../admin"}})
    assert (status, answer["error"]["code"]) == (200, "path_argument")
    assert len(server.requests) == 1


def test_what_an_api_says_of_itself_reaches_the_model_marked_as_its_words(
    pets: dict[str, Tool], operator: User
) -> None:
    status, tool = Api(operator)("GET", f"/api/agent-tools/{pets['list_pets'].pk}/")
    assert (status, tool["description"]) == (200, "")
    config = load_config("http_api", tool["config"])
    told = get_tool_type("http_api").description(config)
    assert "The API says of it: List all pets." in told
