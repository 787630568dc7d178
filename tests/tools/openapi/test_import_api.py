"""POST /api/agent-tools/import-openapi/."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission

from config.base.models import User
from config.base.outbound.testing import http_answer
from tests.factories import UserFactory
from tests.tools.api import Api, error_of
from tests.tools.openapi.conftest import Peer
from tests.tools.openapi.documents import LIBRARY, PETSTORE, as_bytes, large, small
from tests.tools.secrets import make_secret
from tools.models import Tool

pytestmark = pytest.mark.django_db

PATH = "/api/agent-tools/import-openapi/"


@pytest.fixture
def api(operator: User) -> Api:
    return Api(operator)


def ask(api: Api, **body: Any) -> Any:
    status, answer = api("POST", PATH, body)
    assert status == 200, answer
    return answer


def made() -> int:
    return Tool.objects.filter(type="http_api").count()


def test_a_preview_and_then_the_import(api: Api, operator: User) -> None:
    make_secret(operator)
    asked = {"document": PETSTORE, "base_url": "http://a.example"}
    preview = ask(api, **asked, preview=True)
    assert (preview["preview"], preview["name"], preview["created"]) == (True, "Pet Store", [])
    assert [scheme["name"] for scheme in preview["security_schemes"]] == ["api_key", "store_auth"]
    first, second = preview["operations"][:2]
    assert (first["operation"], first["step"], first["slug"]) == ("GET /pets", "new", "list_pets")
    assert second["problem"]["code"] == "secret_missing"
    assert made() == 0
    wanted = ["GET /pets", "POST /pets"]
    done = ask(api, **asked, operations=wanted, secrets={"api_key": "api"}, enabled=True)
    assert [tool["operation"] for tool in done["created"]] == wanted
    assert all(tool["enabled"] for tool in done["created"])
    assert made() == 2
    again = ask(api, **asked, operations=["GET /pets"], name="Pet Store")
    assert [tool["slug"] for tool in again["unchanged"]] == ["list_pets"]


def test_a_document_behind_a_url(api: Api, server: Peer) -> None:
    server.answer = http_answer(as_bytes(LIBRARY))
    done = ask(api, url="http://lib.example/docs/openapi.json")
    assert len(done["created"]) == 2
    config = Tool.objects.get(slug="post_books").config
    assert config["base_url"] == "http://lib.example/api"


def test_a_changed_document_says_what_changed(api: Api) -> None:
    ask(api, document=as_bytes(small()).decode())
    changed = as_bytes(small(operation={"summary": "New"})).decode()
    preview = ask(api, document=changed, preview=True)
    assert preview["operations"][0]["changes"] == ["about"]
    [tool] = ask(api, document=changed)["updated"]
    assert tool["changes"] == ["about"]


def test_a_large_document_is_taken_by_its_url_only(api: Api, server: Peer) -> None:
    text = as_bytes(large(240)) + b" " * 4_000_000
    assert error_of(api("POST", PATH, {"document": text.decode()})) == (413, "too_large", None)
    server.answer = http_answer(text)
    asked = ask(api, url="http://lib.example/openapi.json", preview=True)
    assert len(asked["operations"]) == 240


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({}, ("required", "document")),
        ({"document": "{}", "url": "http://a.example"}, ("required", "document")),
        ({"document": "{}"}, ("openapi_invalid", None)),
        ({"document": "{nonsense"}, ("openapi_invalid", None)),
        ({"document": "swagger: '2.0'"}, ("openapi_version", None)),
        ({"document": "[" * 200}, ("openapi_too_large", None)),
        ({"url": "http://127.0.0.1/"}, ("address_refused", "url")),
        ({"url": "ftp://a.example/"}, ("scheme_not_allowed", "url")),
        ({"document": PETSTORE, "operations": ["GET /x"]},
         ("openapi_not_importable", "operations.0")),
        ({"document": PETSTORE, "operations": []}, ("openapi_not_importable", "operations")),
        ({"document": PETSTORE, "write_domains": ["*"]}, ("invalid", "write_domains")),
        ({"document": PETSTORE, "secrets": {"kex": "api"}},
         ("security_scheme_unknown", "secrets.kex")),
        ({"document": PETSTORE, "secrets": {"kex": "api"}, "preview": True},
         ("security_scheme_unknown", "secrets.kex")),
        ({"document": PETSTORE, "prefix": "A"}, ("invalid", "prefix")),
        ({"url": "http://a.example", "allowed_private_networks": ["x"]},
         ("invalid", "allowed_private_networks")),
        ({"document": PETSTORE, "colour": 1}, ("unknown_field", "colour")),
        ({"document": {"openapi": "3.0.0"}}, ("invalid", "document")),
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_bad_input_changes_nothing(api: Api, body: Any, error: tuple[str, str | None]) -> None:
    assert error_of(api("POST", PATH, body)) == (400, *error)
    assert made() == 0


def test_what_can_not_be_imported_is_named(api: Api) -> None:
    wanted = ["GET /pets", "POST /pets/{petId}/image", "GET /gone"]
    status, answer = api("POST", PATH, {"document": PETSTORE, "operations": wanted})
    assert status == 400
    assert [error["attr"] for error in answer["errors"]] == ["operations.1", "operations.2"]


def test_what_was_not_imported_is_told_with_why(api: Api, operator: User) -> None:
    make_secret(operator, allow_http=False)
    asked = {"document": PETSTORE, "base_url": "http://a.example"}
    for secrets, why in (
        ({}, "secret_missing"),
        ({"api_key": "api"}, "secret_needs_https"),
        ({"api_key": "none"}, "secret_unknown"),
    ):
        done = ask(api, **asked, secrets=secrets)
        handled = [*done["created"], *done["unchanged"]]
        assert [tool["operation"] for tool in handled] == ["GET /pets"]
        told = {one["operation"]: one["problem"]["code"] for one in done["skipped"]}
        assert told["POST /pets"] == why
        assert told["POST /pets/{petId}/image"] == "body_unsupported"
        assert len(told) == 5
        assert all(one["problem"]["message"] for one in done["skipped"])


def test_where_nothing_can_be_imported_the_first_reason_is_told(api: Api) -> None:
    document = as_bytes(small(operation={"security": [{"nobody": []}]})).decode()
    status, answer = api("POST", PATH, {"document": document})
    assert (status, answer["errors"][0]["attr"]) == (400, "operations")
    assert "GET /it" in answer["errors"][0]["detail"]


def test_who_may_open_an_address_is_told_how(api: Api) -> None:
    [error] = api("POST", PATH, {"url": "http://127.0.0.1/"})[1]["errors"]
    assert "add 127.0.0.1/32 to allowed_private_networks" in error["detail"]


def test_the_same_key_is_one_import(api: Api) -> None:
    body = {"document": as_bytes(small()).decode()}
    first = api("POST", PATH, body, Idempotency_Key="k")
    assert api("POST", PATH, body, Idempotency_Key="k") == first
    assert len(first[1]["created"]) == 1
    assert error_of(api("POST", PATH, {**body, "prefix": "x"}, Idempotency_Key="k"))[0] == 422


def test_the_wrong_method(api: Api) -> None:
    assert api("GET", PATH)[0] == 405


def test_who_may(operator: User, alice: User) -> None:
    body = {"document": as_bytes(small()).decode()}
    assert Api()("POST", PATH, body)[0] == 401
    assert Api(alice)("POST", PATH, body)[0] == 403
    assert Api(operator, scopes=["tools:read"])("POST", PATH, body)[0] == 403
    adder = UserFactory.create(is_staff=True)
    adder.user_permissions.set(Permission.objects.filter(codename="add_tool"))
    assert Api(adder)("POST", PATH, body)[0] == 403
    assert made() == 0
    assert Api(operator, scopes=["tools:manage"])("POST", PATH, body)[0] == 200
