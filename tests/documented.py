"""Whatever any test makes the API answer, its OpenAPI document names: status and code."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

import pytest
from drf_spectacular.generators import SchemaGenerator
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView


@pytest.fixture(scope="session", autouse=True)
def answers_as_documented(django_test_environment: None) -> Iterator[None]:
    """An answer that the document does not name raises in the request."""
    finish = APIView.finalize_response

    def checked(
        view: APIView, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Any:
        if fault := undocumented(request, response):
            raise AssertionError(fault)
        return finish(view, request, response, *args, **kwargs)

    with patch.object(APIView, "finalize_response", checked):
        yield


def undocumented(request: Request, response: Response) -> str:
    """What is wrong with this answer to this request, or nothing.

    A 400 may name a field's own code (`required`, `max_length`), which the schema says; and 405
    is about the path, not an operation.
    """
    match = request.resolver_match
    path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", match.route) if match else ""
    operation = _operations().get((path, str(request.method).lower()))
    if operation is None or response.status_code == 405:
        return ""
    said = operation.get(str(response.status_code))
    name = f"{request.method} {path} answered {response.status_code}"
    if said is None:
        return f"{name}, which its document does not name: {response.data}"
    if response.status_code <= 400:
        return ""
    missing = [code for code in _codes(response) if code not in said]
    return f"{name} with {missing}, which its document does not name." if missing else ""


def _codes(response: Response) -> list[str]:
    return [each["code"] for each in response.data["errors"]]


@cache
def _operations() -> dict[tuple[str, str], dict[str, set[str]]]:
    """By path and method: the codes of each status."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    return {
        (path, method): {
            status: _named(answer) for status, answer in operation["responses"].items()
        }
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
        if "responses" in operation
    }


def _named(answer: dict[str, Any]) -> set[str]:
    contents = answer.get("content", {}).values()
    return {code for content in contents for code in content.get("examples", {})}
