"""Our errors as HTTP: one format, whatever raised them.

`{"type": "validation_error|client_error|server_error", "errors": [{"code", "detail", "attr"}]}`,
plus what the error carries for the client to go on with, such as the fresh `draft` of a conflict.
"""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext_lazy as _
from drf_standardized_errors.handler import ExceptionHandler as StandardHandler
from rest_framework import exceptions

from config.base.errors import GatehouseError


class ApiError(exceptions.APIException):
    def __init__(self, error: GatehouseError) -> None:
        self.status_code = error.http_status
        self.default_code = error.code
        super().__init__(detail=error.message, code=error.code)


class TooBig(exceptions.APIException):
    status_code = 413
    default_code = "too_large"
    default_detail = _("The request is too large.")


class ExceptionHandler(StandardHandler):
    def convert_known_exceptions(self, exc: Exception) -> Exception:
        if isinstance(exc, GatehouseError):
            return ApiError(exc)
        if isinstance(exc, RequestDataTooBig):
            return TooBig()
        return super().convert_known_exceptions(exc)

    def format_exception(self, exc: exceptions.APIException) -> dict[str, Any]:
        body: dict[str, Any] = super().format_exception(exc)
        if isinstance(self.exc, GatehouseError):
            body.update(self.exc.details)
        return body
