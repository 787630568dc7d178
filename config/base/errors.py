"""The errors of the product, divided by who has to act.

Each carries a stable `code`, an `http_status` and whether trying the same again can help. They are
translated once each: to HTTP in `config.base.rest.errors`, to a tool's result in `tools.pipeline`.
"""

from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class GatehouseError(Exception):
    """Something went wrong in Gatehouse."""

    default_message: ClassVar[str | Promise] = ""  # a class without one says its docstring
    code: str = "error"
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    # The message with what to do, for somebody who may change tools; it stands in no answer.
    for_operator: str | Promise = ""

    def __init__(self, message: str = "", *, code: str | None = None, **details: Any) -> None:
        self.message = str(message or default_message_of(type(self)))
        if code is not None:
            self.code = code
        self.details = details
        super().__init__(self.message)


def default_message_of(error: type[GatehouseError]) -> str | Promise:
    """The class's own, never its parent's."""
    own = vars(error)
    message: str | Promise = own.get("default_message") or own.get("__doc__") or ""
    return message


class InvalidInput(GatehouseError):
    default_message = _("The request is not valid.")
    code = "invalid"
    http_status = 400


class NotSignedIn(GatehouseError):
    default_message = _("Sign in first.")
    code = "not_authenticated"
    http_status = 401


class NotPermitted(GatehouseError):
    default_message = _("You are not allowed to do this.")
    code = "permission_denied"
    http_status = 403


class NotFound(GatehouseError):
    default_message = _("It does not exist, or it is not yours.")
    code = "not_found"
    http_status = 404


class Conflict(GatehouseError):
    default_message = _("It has changed in the meantime.")
    code = "conflict"
    http_status = 409


class Gone(GatehouseError):
    default_message = _("It is no longer available.")
    code = "gone"
    http_status = 410


class PreconditionFailed(GatehouseError):
    default_message = _("The version you named is not the current one.")
    code = "precondition_failed"
    http_status = 412


class IdempotencyKeyReused(GatehouseError):
    default_message = _("This idempotency key was used with another request.")
    code = "idempotency_key_reused"
    http_status = 422


class TooManyRequests(GatehouseError):
    default_message = _("That was too much at once. Wait a little and go on.")
    code = "throttled"
    http_status = 429
    retryable = True


class LeaseLost(GatehouseError):
    default_message = _("Somebody else has taken this work over.")
    code = "lease_lost"
    http_status = 409


class Bug(GatehouseError):
    default_message = _("An error of ours.")
    code = "bug"
    http_status = 500
