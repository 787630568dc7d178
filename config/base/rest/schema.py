"""The OpenAPI document: every operation names its errors, its scopes and who may call it."""

from inspect import getdoc
from typing import Any

from drf_spectacular.openapi import AutoSchema

from config.base.rest.serializers import ErrorSerializer

_REASONS = {
    400: "The request is not valid.",
    401: "Not signed in.",
    403: "Not allowed, or a scope is missing (`scope_missing`).",
    404: "It does not exist, or it is not yours.",
    409: "It has changed in the meantime.",
    410: "It is no longer available.",
    412: "`If-Match` names an old version.",
    415: "The body is not JSON.",
    422: "This Idempotency-Key was used with another request.",
    429: "Too many requests; see Retry-After.",
}


class Schema(AutoSchema):
    def _get_response_bodies(self, direction: Any = "response") -> Any:
        """The declared answers, and one error shape for every status that can happen.

        Here and not in `get_response_serializers`, which `@extend_schema(responses=…)` replaces.
        """
        parent: Any = super()
        bodies = parent._get_response_bodies(direction)
        for status in map(str, self._error_statuses()):
            if status not in bodies:
                bodies[status] = self._get_response_for_code(ErrorSerializer, status)
        return bodies

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
            lines = [operation.get("description", ""), f"Scope: `{scope}`."]
            operation["description"] = "\n\n".join(filter(None, lines))
        return operation

    def _get_response_for_code(
        self, serializer: Any, status_code: Any, *args: Any, **kwargs: Any
    ) -> Any:
        parent: Any = super()
        response = parent._get_response_for_code(serializer, status_code, *args, **kwargs)
        codes: list[str] = getattr(self.view, "error_codes", {}).get(int(status_code), [])
        reason = _REASONS.get(int(status_code), "")
        if reason and serializer is ErrorSerializer:
            response["description"] = " ".join([reason, *(f"`{code}`" for code in codes)])
        return response

    def _error_statuses(self) -> list[int]:
        statuses = {401, 403, *getattr(self.view, "error_codes", {})}
        if "{" in self.path or getattr(self.view, "pagination_class", None):
            statuses.add(404)  # nothing of this id, or no such page
        if self.method in {"POST", "PUT", "PATCH"}:
            statuses |= {400, 415}
        if self.method == "POST" and getattr(self.view, "takes_idempotency_key", False):
            statuses.add(422)
        return sorted(statuses)
