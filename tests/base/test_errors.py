"""Whatever goes wrong in the API, clients get it in one format, with a code they can rely on."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from django.utils import translation
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from config.base import errors
from config.base.errors import GatehouseError
from config.base.models import User
from config.base.rest.serializers import StrictSerializer
from tests.clients import codes_of, with_session
from tools.errors import CallDenied, DraftExpired, StaleVersion, ToolFailure


class Failing(APIView):
    authentication_classes = ()
    permission_classes = ()
    fail: Callable[[], Any] = staticmethod(lambda: None)

    def get(self, request: Request) -> Response:
        self.fail()
        return Response({})


def answer_to(error: BaseException) -> tuple[int, dict[str, Any]]:
    def fail() -> None:
        raise error

    response = Failing.as_view(fail=staticmethod(fail))(APIRequestFactory().get("/"))
    return response.status_code, dict(response.data)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.InvalidInput(), 400, "invalid"),
        (errors.NotSignedIn(), 401, "not_authenticated"),
        (errors.NotPermitted(), 403, "permission_denied"),
        (errors.NotFound(), 404, "not_found"),
        (errors.Conflict(), 409, "conflict"),
        (errors.LeaseLost(), 409, "lease_lost"),
        (errors.Gone(), 410, "gone"),
        (errors.PreconditionFailed(), 412, "precondition_failed"),
        (errors.IdempotencyKeyReused(), 422, "idempotency_key_reused"),
        (StaleVersion(), 409, "stale_version"),
        (DraftExpired(), 410, "expired"),
        (CallDenied(), 403, "denied"),
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "permission_denied"),
        (exceptions.NotFound(), 404, "not_found"),
        (exceptions.UnsupportedMediaType("text/csv"), 415, "unsupported_media_type"),
        (RequestDataTooBig(), 413, "too_large"),
    ],
)
def test_what_a_client_can_mend_is_a_client_error(error: Exception, status: int, code: str) -> None:
    answered, body = answer_to(error)
    assert answered == status
    assert body["type"] == "client_error"
    [item] = body["errors"]
    assert (item["code"], item["attr"]) == (code, None)
    assert item["detail"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (errors.Bug(), 500, "bug"),
        (GatehouseError(), 500, "error"),
    ],
)
def test_what_only_we_can_mend_is_a_server_error(error: Exception, status: int, code: str) -> None:
    answered, body = answer_to(error)
    assert (answered, body["type"]) == (status, "server_error")
    assert body["errors"][0]["code"] == code


@pytest.mark.parametrize("error", [RuntimeError("secret detail"), KeyError("secret detail")])
def test_a_bug_is_500_in_the_same_format_and_tells_nothing(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    status, body = answer_to(error)
    assert (status, body["type"]) == (500, "server_error")
    assert body["errors"][0]["code"] == "error"
    assert "secret detail" not in str(body)


def test_a_message_and_a_code_of_its_own_are_kept() -> None:
    _status, body = answer_to(errors.InvalidInput("Write a message.", code="required"))
    assert body["errors"] == [{"code": "required", "detail": "Write a message.", "attr": None}]


def test_what_the_error_carries_stands_beside_the_errors() -> None:
    _status, body = answer_to(errors.Conflict(draft={"version": 2}, context_version=7))
    assert body["draft"] == {"version": 2}
    assert body["context_version"] == 7
    assert body["errors"][0]["code"] == "conflict"


OURS = [one for one in GatehouseError.__subclasses__() if not one.__module__.startswith("tests.")]


@pytest.mark.parametrize("error", [GatehouseError, *OURS])
def test_each_error_says_its_default_message(error: type[GatehouseError]) -> None:
    default = vars(error).get("default_message") or error.__doc__
    assert error().message == str(error()) == str(default) != ""


def test_a_default_message_is_in_the_language_of_the_person() -> None:
    with translation.override("zh-hans"):
        assert errors.NotSignedIn().message == "请先登录。"


def test_a_tools_failure_is_no_http_error() -> None:
    assert ToolFailure().http_status == 200


# --- As the API answers by itself ---


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("post", "/api/agent/messages/", {"text": "hi", "txet": 1}, 400, "unknown_field"),
        ("post", "/api/agent/messages/", {}, 400, "required"),
        ("post", "/api/agent/messages/", [1], 400, "invalid"),
        ("get", "/api/agent/messages/", None, 405, "method_not_allowed"),
        ("get", "/api/no-such-thing/", None, 404, "not_found"),
        ("get", "/api/agent/runs/not-a-uuid/", None, 404, "not_found"),
    ],
)
def test_the_api_answers_in_the_one_format(
    alice: User, method: str, path: str, body: Any, status: int, code: str
) -> None:
    response = getattr(with_session(alice), method)(path, body)
    assert response.status_code == status
    assert response.headers["Content-Type"].startswith("application/json")
    assert codes_of(response) == [code]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("raw", "type_", "status", "code"),
    [
        ("{", "application/json", 400, "parse_error"),
        ("text=hi", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b"\xff\xfe", "application/json", 400, "parse_error"),
        ('{"text": "\\ud800"}', "application/json", 400, "surrogate_characters_not_allowed"),
        ('{"text": "a\\u0000b"}', "application/json", 400, "null_characters_not_allowed"),
    ],
)
def test_a_body_that_can_not_be_read_is_the_clients_error(
    alice: User, raw: Any, type_: str, status: int, code: str
) -> None:
    response = with_session(alice).generic("POST", "/api/agent/messages/", raw, content_type=type_)
    assert response.status_code == status
    assert codes_of(response) == [code]


# --- Bodies ---


def test_every_unknown_field_is_named() -> None:
    body = StrictSerializer(data={"a": 1, "b": 2})
    assert not body.is_valid()
    assert set(body.errors) == {"a", "b"}
    assert {detail.code for details in body.errors.values() for detail in details} == {
        "unknown_field"
    }


def test_of_very_many_unknown_fields_some_are_named() -> None:
    """An answer larger than the question would be somebody's lever."""
    body = StrictSerializer(data={f"field{n}": n for n in range(10_000)})
    assert not body.is_valid()
    assert len(body.errors) == 20
