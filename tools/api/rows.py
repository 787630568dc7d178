"""Tool rows and the types that they are of."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.actor import Actor, Origin
from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PAGE, PaginatedView, list_parameters, ordered
from config.base.rest.permissions import HasScope, IsOperator
from tools import services
from tools.api.examples import TOOL
from tools.api.serializers import ToolSerializer, ToolTypeSerializer, WriteToolSerializer
from tools.docs.catalogue import describe_types
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.models import Tool
from tools.preview import direct_actor
from tools.selectors import get_tool, list_tools

OPERATORS = [IsAuthenticated, IsOperator, HasScope]
_ORDERINGS = ("sort_order", "name", "slug", "type", "created_at", "updated_at")
_BOOLEANS = {"true": True, "false": False}
_INVALID = ["unknown_type", "invalid_config", "unknown_field", "invalid", "required"]


@contextmanager
def naming_fields() -> Iterator[None]:
    """Says in `attr` which field is wrong: `type`, `config`, `config.timeout_ms`."""
    try:
        yield
    except UnknownToolType as error:
        raise ValidationError({"type": [ErrorDetail(error.message, error.code)]}) from error
    except InvalidToolConfig as error:
        fields: dict[str, str] = error.details.get("fields") or {"": error.message}
        raise ValidationError(
            {
                ".".join(filter(None, ("config", place))): [ErrorDetail(what, error.code)]
                for place, what in fields.items()
            }
        ) from error


class ToolsView(PaginatedView):
    permission_classes = OPERATORS
    model_permissions = {"GET": "tools.view_tool", "POST": "tools.add_tool"}
    scopes = {"GET": Scope.TOOLS_READ, "POST": Scope.TOOLS_MANAGE}
    takes_idempotency_key = True
    error_codes = {400: _INVALID, 409: ["slug_taken"], 422: ["idempotency_key_reused"]}

    @extend_schema(
        summary="List the tools",
        parameters=[
            OpenApiParameter("slug", str),
            OpenApiParameter("type", str),
            OpenApiParameter("enabled", bool),
            *list_parameters(*_ORDERINGS, default="sort_order"),
        ],
        responses=ToolSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """The rows that operators configured: what agents may be given."""
        rows = ordered(_filtered(request), request, allowed=_ORDERINGS, default="sort_order")
        return self.paginated(rows, request, ToolSerializer)

    @extend_schema(
        summary="Configure a new tool",
        request=WriteToolSerializer,
        responses={201: ToolSerializer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Its `config` is judged by the schema of its type, see `types/`."""
        body = WriteToolSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        with naming_fields():
            tool = services.create_tool(_operator(request), **body.validated_data)
        return Response(ToolSerializer(get_tool(tool.pk)).data, status=201)


def _filtered(request: Request) -> QuerySet[Tool]:
    rows = list_tools()
    for name in ("slug", "type"):
        if (wanted := request.query_params.get(name)) is not None:
            rows = rows.filter(**{name: wanted.replace("\0", "")})
    if (enabled := request.query_params.get("enabled")) is not None:
        if enabled.lower() not in _BOOLEANS:
            raise ValidationError({"enabled": _("Say true or false.")})
        rows = rows.filter(enabled=_BOOLEANS[enabled.lower()])
    return rows


def _operator(request: Request) -> Actor:
    return direct_actor(signed_in(request), Origin.API)


class ToolView(APIView):
    permission_classes = OPERATORS
    model_permissions = {
        "GET": "tools.view_tool",
        "PUT": "tools.change_tool",
        "PATCH": "tools.change_tool",
        "DELETE": "tools.delete_tool",
    }
    scopes = {
        "GET": Scope.TOOLS_READ,
        "PUT": Scope.TOOLS_MANAGE,
        "PATCH": Scope.TOOLS_MANAGE,
        "DELETE": Scope.TOOLS_MANAGE,
    }

    @property
    def error_codes(self) -> dict[int, list[str]]:
        writes = self.request is None or self.request.method in {"PUT", "PATCH"}
        return {400: _INVALID, 409: ["slug_taken"]} if writes else {}

    @extend_schema(summary="One tool", responses=ToolSerializer)
    def get(self, request: Request, tool_id: UUID) -> Response:
        """With its whole config."""
        return Response(ToolSerializer(get_tool(tool_id)).data)

    @extend_schema(
        summary="Replace a tool's settings",
        request=WriteToolSerializer,
        responses=ToolSerializer,
    )
    def put(self, request: Request, tool_id: UUID) -> Response:
        """What is left out goes back to its default."""
        return self._update(request, tool_id, partial=False)

    @extend_schema(
        summary="Change some of a tool's settings",
        request=WriteToolSerializer(partial=True),
        responses=ToolSerializer,
        examples=[
            OpenApiExample("switch it off", value={"enabled": False}, request_only=True),
            OpenApiExample("a tool", value=TOOL, response_only=True),
        ],
    )
    def patch(self, request: Request, tool_id: UUID) -> Response:
        """What is left out stays; a `config` replaces the whole config."""
        return self._update(request, tool_id, partial=True)

    @extend_schema(summary="Delete a tool; its calls stay in the log", responses={204: None})
    def delete(self, request: Request, tool_id: UUID) -> Response:
        """Agents lose it at once, and drafts of it can no longer be confirmed."""
        services.delete_tool(_operator(request), tool_id)
        return Response(status=204)

    def _update(self, request: Request, tool_id: UUID, *, partial: bool) -> Response:
        get_tool(tool_id)  # what is not there is 404, whatever the body
        body = WriteToolSerializer(data=request.data, partial=partial)
        body.is_valid(raise_exception=True)
        with naming_fields():
            tool = services.update_tool(_operator(request), tool_id, **body.validated_data)
        return Response(ToolSerializer(get_tool(tool.pk)).data)


class ToolTypesView(PaginatedView):
    permission_classes = OPERATORS
    model_permissions = {"GET": "tools.view_tool"}
    scope = Scope.TOOLS_READ

    @extend_schema(
        summary="List the installed tool types with their schemas",
        parameters=PAGE,
        responses=ToolTypeSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """What a tool can be made of."""
        paginator = self.pagination_class()
        types: Any = describe_types()  # a list pages as a queryset does
        page: Any = paginator.paginate_queryset(types, request, view=self)
        return paginator.get_paginated_response(ToolTypeSerializer(page, many=True).data)
