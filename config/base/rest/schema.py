"""The OpenAPI document: every operation names its errors, its scopes and who may call it."""

from collections.abc import Iterator
from inspect import getdoc
from typing import Any

from drf_spectacular.openapi import AutoSchema

from config.base.idempotency import MAX_KEY_LENGTH
from config.base.rest.permissions import IsOperator
from config.base.rest.serializers import ErrorSerializer

# Per status: why, and the codes that any operation may answer with.
_REASONS: dict[int, tuple[str, tuple[str, ...]]] = {
    400: ("The request is not valid.", ("parse_error",)),
    401: ("Not signed in.", ("not_authenticated", "authentication_failed")),
    403: ("Not allowed, or a scope is missing.", ("scope_missing", "permission_denied")),
    404: ("It does not exist, or it is not yours.", ("not_found",)),
    406: ("No such content type is given here.", ("not_acceptable",)),
    409: ("It has changed in the meantime.", ()),
    410: ("It is no longer available.", ()),
    412: ("`If-Match` names an old version.", ("precondition_failed",)),
    413: ("The body is larger than is taken.", ("too_large",)),
    415: ("The body is not JSON.", ("unsupported_media_type",)),
    422: ("The Idempotency-Key was used with another request.", ("idempotency_key_reused",)),
    429: ("Too many requests; see Retry-After.", ("throttled",)),
}
IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "schema": {"type": "string", "maxLength": MAX_KEY_LENGTH},
    "description": (
        "For 24 hours the same key and body returns the first answer; another body is refused."
    ),
}
_TYPES = {400: "validation_error"}


class Schema(AutoSchema):
    def _get_response_bodies(self, direction: Any = "response") -> Any:
        """The declared answers, and one error shape for every status that can happen.

        Here and not in `get_response_serializers`, which `@extend_schema(responses=…)` replaces.
        """
        parent: Any = super()
        bodies = parent._get_response_bodies(direction)
        for status in map(str, self._error_statuses()):
            if status not in bodies:
                shapes = getattr(self.view, "error_shapes", {})
                shape = shapes.get(int(status), ErrorSerializer)
                bodies[status] = self._get_response_for_code(shape, status)
        return dict(sorted(bodies.items()))

    def _get_parameters(self) -> Any:
        parent: Any = super()
        parameters: list[dict[str, Any]] = parent._get_parameters()
        return [*parameters, IDEMPOTENCY_KEY] if self._takes_key() else parameters

    def _takes_key(self) -> bool:
        return self.method == "POST" and getattr(self.view, "takes_idempotency_key", False)

    def get_tags(self) -> list[str]:
        """By what stands in the path: `agent/runs/…` is about runs, `agent-tools/…` about tools."""
        _api, first, *rest = self.path.strip("/").split("/")
        return [rest[0] if first == "agent" else first.removeprefix("agent-")]

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular declares it
        """What the operation's own method says; never what a class says to those who read code."""
        method = getattr(self.view, (self.method or "").lower(), None)
        return (getdoc(method) or "") if method and method.__doc__ else ""

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        """Here and not in `get_description`, which `@extend_schema(description=…)` replaces."""
        parent: Any = super()
        operation = parent.get_operation(*args, **kwargs)
        scope = getattr(self.view, "scopes", {}).get(self.method) or getattr(self.view, "scope", "")
        if operation and scope:
            whose = " For operators only." if IsOperator in self.view.permission_classes else ""
            lines = [operation.get("description", ""), f"Scope: `{scope}`.{whose}"]
            operation["description"] = "\n\n".join(filter(None, lines))
        return operation

    def _get_response_for_code(
        self, serializer: Any, status_code: Any, *args: Any, **kwargs: Any
    ) -> Any:
        parent: Any = super()
        response = parent._get_response_for_code(serializer, status_code, *args, **kwargs)
        status = int(status_code)
        if _is_error(serializer) and status in _REASONS:
            codes = self._codes(status)
            response["description"] = " ".join([_REASONS[status][0], *(f"`{c}`" for c in codes)])
            for content in response["content"].values():
                content["examples"] = {code: _example(status, code) for code in codes}
        return response

    def _codes(self, status: int) -> list[str]:
        own: list[str] = getattr(self.view, "error_codes", {}).get(status, [])
        of_lists = ["unknown_parameter"] if status == 400 and self._is_list() else []
        return list(dict.fromkeys([*own, *of_lists, *_REASONS[status][1]]))

    def _is_list(self) -> bool:
        return self.method == "GET" and bool(getattr(self.view, "pagination_class", None))

    def _error_statuses(self) -> list[int]:
        statuses = {401, 403, 406, 429, *getattr(self.view, "error_codes", {})}
        if self._is_list():
            statuses |= {400, 404}  # no such parameter or order, no such page
        if "{" in self.path:
            statuses.add(404)
        if self.method in {"POST", "PUT", "PATCH"}:
            statuses |= {400, 413, 415}
        if self._takes_key():
            statuses.add(422)
        return sorted(statuses)


def _is_error(serializer: Any) -> bool:
    return isinstance(serializer, type) and issubclass(serializer, ErrorSerializer)


def _example(status: int, code: str) -> dict[str, Any]:
    kind = "client_error" if code == "parse_error" else _TYPES.get(status, "client_error")
    error = {"code": code, "detail": _REASONS[status][0], "attr": None}
    return {"value": {"type": kind, "errors": [error]}}


def anything_may_be_null(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """`oneOf: [{}, null]` refuses null, which fits both: any value at all is `{}`."""
    for schema in _schemas(result):
        if schema.get("oneOf") == [{}, {"type": "null"}]:
            del schema["oneOf"]
    return result


def _schemas(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, dict | list):
            yield from _schemas(item)
