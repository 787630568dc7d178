"""The errors of the product, divided by who has to act.

Each carries a stable `code`, an `http_status` and whether trying the same again can help. They are
translated once each: to HTTP in `config.base.rest.errors`, to a tool's result in `tools.pipeline`.
"""

from typing import Any, ClassVar


class GatehouseError(Exception):
    """Something went wrong in Gatehouse."""

    code: str = "error"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, message: str = "", *, code: str | None = None, **details: Any) -> None:
        self.message = str(message or type(self).__doc__ or "")
        if code is not None:
            self.code = code
        self.details = details
        super().__init__(self.message)


class InvalidInput(GatehouseError):
    """The request is not valid."""

    code = "invalid"
    http_status = 400


class NotSignedIn(GatehouseError):
    """Sign in first."""

    code = "not_authenticated"
    http_status = 401


class NotPermitted(GatehouseError):
    """You are not allowed to do this."""

    code = "permission_denied"
    http_status = 403


class NotFound(GatehouseError):
    """It does not exist, or it is not yours."""

    code = "not_found"
    http_status = 404


class Conflict(GatehouseError):
    """It has changed in the meantime."""

    code = "conflict"
    http_status = 409


class Gone(GatehouseError):
    """It is no longer available."""

    code = "gone"
    http_status = 410


class PreconditionFailed(GatehouseError):
    """The version you named is not the current one."""

    code = "precondition_failed"
    http_status = 412


class IdempotencyKeyReused(GatehouseError):
    """This idempotency key was used with another request."""

    code = "idempotency_key_reused"
    http_status = 422


class LeaseLost(GatehouseError):
    """Somebody else has taken this work over."""

    code = "lease_lost"
    http_status = 409


class Bug(GatehouseError):
    """An error of ours."""

    code = "bug"
    http_status = 500
