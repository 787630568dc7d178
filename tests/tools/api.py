"""Somebody's client of the API, for tests."""

import json
from typing import Any

from django.test import Client

from config.base.actor import Actor, Origin
from config.base.models import User
from config.base.tokens import create_token

type Answer = tuple[int, Any]


class Api:
    """Somebody's client, by session or token; answers are (status, body)."""

    def __init__(self, user: User | None = None, scopes: list[str] | None = None) -> None:
        self.client = Client()
        self.headers: dict[str, str] = {}
        if user is not None and scopes is None:
            self.client.force_login(user)
        elif user is not None:
            actor = Actor(user=user, origin=Origin.PAGE)
            _row, token = create_token(user, actor=actor, name="t", scopes=scopes)
            self.headers = {"Authorization": f"Bearer {token}"}

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """`body`: what becomes JSON, or bytes as they are; `Idempotency_Key="k"` is a header."""
        if not isinstance(body, bytes):
            body = b"" if body is None else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = self.client.generic(
            method,
            path,
            data=body,
            content_type="application/json",
            headers={**self.headers, **named},
        )
        return response.status_code, response.json() if response.content else None


def error_of(answer: Answer) -> tuple[int, str, str | None]:
    status, body = answer
    return status, body["errors"][0]["code"], body["errors"][0]["attr"]
