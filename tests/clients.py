"""HTTP clients for tests: signed in by a token or by a session, JSON by default."""

from collections.abc import Sequence
from typing import Any

from rest_framework.test import APIClient

from config.base.actor import Actor, Origin
from config.base.models import Scope, User
from config.base.tokens import create_token


def token_of(user: User, scopes: Sequence[str] | None = None) -> str:
    """A new token; without `scopes` one that may do everything."""
    actor = Actor(user=user, origin=Origin.ADMIN)
    return create_token(user, actor=actor, name="test", scopes=scopes or Scope.values)[1]


def with_token(user: User, scopes: Sequence[str] | None = None) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {token_of(user, scopes)}")
    return client


def with_session(user: User, *, csrf: bool = False) -> APIClient:
    client = APIClient(enforce_csrf_checks=csrf)
    client.force_login(user)
    return client


def codes_of(response: Any) -> list[str]:
    """The error codes of an answer in the one format."""
    body = response.json()
    assert {"type", "errors"} <= set(body), body
    assert body["type"] in ("validation_error", "client_error", "server_error")
    return [error["code"] for error in body["errors"]]
