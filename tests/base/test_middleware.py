"""What every answer passes: its page's policy, the person's language and zone, errors as pages."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone, translation

from config.base import errors
from config.base.middleware import ErrorPages, UserPreferences
from config.base.models import User
from tests.clients import codes_of

pytestmark = pytest.mark.django_db
POLICY = "Content-Security-Policy"


@pytest.fixture
def alices(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def policy(client: Client, path: str) -> dict[str, list[str]]:
    header = client.get(path).headers[POLICY]
    return {name: values for name, *values in (part.split() for part in header.split(";"))}


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/actions/",
        "/documents/",
        "/documents/new/",
        "/accounts/login/",
        "/nowhere/",
        "/healthz",
    ],
)
def test_pages_run_no_script_but_our_files(alices: Client, path: str) -> None:
    found = policy(alices, path)
    assert found["default-src"] == ["'none'"]
    assert found["script-src"] == ["'self'"]
    assert found["style-src"] == ["'self'"]
    assert found["frame-ancestors"] == ["'none'"]
    assert found["base-uri"] == ["'none'"]
    assert found["form-action"] == ["'self'"]


@pytest.mark.parametrize("path", ["/api/agents/", "/api/nowhere/", "/api/schema/"])
def test_the_api_has_the_same_policy(alices: Client, path: str) -> None:
    assert policy(alices, path)["script-src"] == ["'self'"]


def test_the_admin_has_its_own(client: Client, operator: User) -> None:
    client.force_login(operator)
    found = policy(client, "/admin/")
    assert "'unsafe-eval'" in found["script-src"]  # Alpine compiles its expressions
    assert "'unsafe-inline'" not in found["script-src"]
    assert found["default-src"] == ["'none'"]


def test_the_docs_page_has_its_own(client: Client) -> None:
    found = policy(client, "/api/docs/")
    assert found["script-src"] == ["'self'"]
    assert "'unsafe-inline'" in found["style-src"]


@pytest.mark.parametrize("path", ["/administration/", "/api/docsets/", "/Admin/"])
def test_a_path_that_only_looks_like_theirs_is_strict(client: Client, path: str) -> None:
    assert policy(client, path)["style-src"] == ["'self'"]


def test_other_sites_can_not_frame_sniff_or_see_where_one_came_from(alices: Client) -> None:
    headers = alices.get("/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


# --- Language and zone ---


def preferences_seen_by(user: Any) -> tuple[str, str]:
    seen: list[tuple[str, str]] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append((translation.get_language() or "", timezone.get_current_timezone_name()))
        return HttpResponse()

    request = RequestFactory().get("/")
    request.user = user
    UserPreferences(view)(request)
    return seen[0]


def test_a_view_runs_in_the_persons_language_and_zone(alice: User) -> None:
    alice.language, alice.time_zone = "zh-hans", "Asia/Shanghai"
    outside = (translation.get_language(), timezone.get_current_timezone_name())
    assert preferences_seen_by(alice) == ("zh-hans", "Asia/Shanghai")
    assert (translation.get_language(), timezone.get_current_timezone_name()) == outside


def test_they_are_given_back_when_the_view_fails(alice: User) -> None:
    def view(request: HttpRequest) -> HttpResponse:
        raise RuntimeError

    alice.language, alice.time_zone = "zh-hans", "Asia/Shanghai"
    outside = (translation.get_language(), timezone.get_current_timezone_name())
    request = RequestFactory().get("/")
    request.user = alice
    with pytest.raises(RuntimeError):
        UserPreferences(view)(request)
    assert (translation.get_language(), timezone.get_current_timezone_name()) == outside


def test_a_page_and_its_header_name_the_persons_language(client: Client, alice: User) -> None:
    alice.language = "zh-hans"
    alice.save()
    client.force_login(alice)
    response = client.get("/", headers={"Accept-Language": "en"})
    assert b'<html lang="zh-hans"' in response.content
    assert response.headers["Content-Language"] == "zh-hans"


def test_a_visitor_is_answered_in_the_language_their_browser_asks_for(client: Client) -> None:
    response = client.get("/accounts/login/", headers={"Accept-Language": "zh-CN"})
    assert b'<html lang="zh-hans"' in response.content
    assert response.headers["Content-Language"] == "zh-hans"


# --- Errors ---


@pytest.mark.parametrize("path", ["/nowhere/", "/chat/not-a-uuid/", "/documents/x/y/z/"])
@pytest.mark.parametrize("debug", [True, False])
def test_an_unknown_path_is_our_page(alices: Client, settings: Any, path: str, debug: bool) -> None:
    settings.DEBUG = debug
    response = alices.get(path)
    assert response.status_code == 404
    assert "404.html" in [template.name for template in response.templates]


@pytest.mark.parametrize("path", ["/api/nowhere/", "/api/agent/runs/x/"])
@pytest.mark.parametrize("debug", [True, False])
def test_an_unknown_endpoint_is_an_error_in_json(
    client: Client, settings: Any, path: str, debug: bool
) -> None:
    settings.DEBUG = debug
    response = client.get(path)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "application/json"
    assert codes_of(response) == ["not_found"]


def test_a_path_without_its_slash_is_sent_to_the_one_with_it(alices: Client) -> None:
    assert alices.get("/actions").headers["Location"] == "/actions/"


def raised(error: Exception, path: str = "/") -> HttpResponse | None:
    request = RequestFactory().get(path)
    response: Callable[[HttpRequest], HttpResponse] = lambda _: HttpResponse()  # noqa: E731
    return ErrorPages(response).process_exception(request, error)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Http404(), 404),
        (errors.InvalidInput("Say <what>."), 400),
        (errors.NotPermitted(), 403),
        (errors.NotFound(), 404),
        (errors.Conflict("It moved."), 409),
        (errors.Gone(), 410),
        (errors.IdempotencyKeyReused(), 422),
    ],
)
def test_an_error_of_ours_is_a_page(error: Exception, status: int) -> None:
    response = raised(error)
    assert response is not None
    assert response.status_code == status
    assert b"<h1>" in response.content


def test_the_page_says_what_is_wrong_and_quotes_it() -> None:
    response = raised(errors.InvalidInput("Say <what>."))
    assert response is not None
    assert b"Say &lt;what&gt;." in response.content


@pytest.mark.parametrize("error", [RuntimeError(), errors.Bug(), PermissionDenied()])
def test_what_is_not_ours_to_explain_is_left_to_django(error: Exception) -> None:
    assert raised(error) is None


@pytest.mark.parametrize("path", ["/api/agents/", "/admin/base/user/"])
def test_api_and_admin_answer_for_themselves(path: str) -> None:
    assert raised(errors.NotFound(), path) is None
