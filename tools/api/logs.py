"""The log: the ledger joined with what is still kept of its content."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.actor import Origin
from config.base.errors import NotFound
from config.base.models import Scope
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from tools.api.rows import OPERATORS
from tools.api.serializers import LogSerializer
from tools.enums import CallStatus
from tools.models import ToolCall
from tools.selectors import list_calls

_MOMENT = {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}
_ORDERINGS = ("created_at", "duration_ms", "tool_slug", "status")


class LogsView(PaginatedView):
    permission_classes = OPERATORS
    model_permissions = {"GET": "tools.view_toolcall"}
    scope = Scope.TOOLS_READ
    error_codes = {400: ["invalid"]}

    @extend_schema(
        summary="List tool calls, newest first",
        parameters=[
            OpenApiParameter("tool", str, description="Slug or id."),
            OpenApiParameter("status", str, enum=CallStatus.values),
            OpenApiParameter("user", str, description="Name or id."),
            OpenApiParameter("origin", str, enum=[origin.value for origin in Origin]),
            OpenApiParameter("run", OpenApiTypes.UUID),
            OpenApiParameter("from", _MOMENT, description="A time of RFC 3339, or a date."),
            OpenApiParameter("to", _MOMENT, description="Up to, without it."),
            *list_parameters(*_ORDERINGS, default="-created_at"),
        ],
        responses=LogSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Every call with its decision; what it held is masked, cut, and kept for 30 days."""
        rows = ordered(_filtered(request), request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, LogSerializer)


class LogView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"GET": "tools.view_toolcall"}
    scope = Scope.TOOLS_READ

    @extend_schema(summary="One tool call", responses=LogSerializer)
    def get(self, request: Request, call_id: UUID) -> Response:
        """As in the list."""
        call = list_calls().filter(pk=call_id).first()
        if call is None:
            raise NotFound
        return Response(LogSerializer(call).data)


def _filtered(request: Request) -> QuerySet[ToolCall]:
    rows = list_calls()
    for name, narrow in _FILTERS.items():
        value = request.query_params.get(name)
        if value is not None:
            rows = rows.filter(_narrowed(name, narrow, value.replace("\0", "")))
    return rows


def _narrowed(name: str, narrow: Callable[[str], Q], value: str) -> Q:
    try:
        return narrow(value)
    except (ValueError, OverflowError) as error:
        raise ValidationError({name: _("Not a value of this filter.")}) from error


def _by_tool(value: str) -> Q:
    return Q(tool=UUID(value)) if _is_uuid(value) else Q(tool_slug=value)


def _by_user(value: str) -> Q:
    return Q(user=UUID(value)) if _is_uuid(value) else Q(user__username=value)


def _is_uuid(value: str) -> bool:
    try:
        UUID(value)
    except ValueError:
        return False
    return True


def _time(value: str) -> datetime:
    """Without a zone it is UTC; a date is its first moment."""
    time = datetime.fromisoformat(value.replace(" ", "+"))  # a plus sign that was not escaped
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


_FILTERS: dict[str, Callable[[str], Q]] = {
    "tool": _by_tool,
    "status": lambda value: Q(status=CallStatus(value)),
    "user": _by_user,
    "origin": lambda value: Q(origin=Origin(value)),
    "run": lambda value: Q(run_id=UUID(value)),
    "from": lambda value: Q(created_at__gte=_time(value)),
    "to": lambda value: Q(created_at__lt=_time(value)),
}
