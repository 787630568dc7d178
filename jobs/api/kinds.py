"""Kinds of jobs: which there are, who may make them, and letting one rest."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.errors import NotFound
from config.base.models import Scope, User
from config.base.people import person, signed_in
from config.base.rest.pagination import PAGE, PaginatedView
from config.base.rest.permissions import HasScope, IsOperator
from jobs import services
from jobs.api.serializers import KindSerializer
from jobs.registry import AnyHandler, find_handler, list_handlers
from jobs.selectors import is_operator, may_create, paused_kinds

OPERATORS = [IsAuthenticated, IsOperator, HasScope]


class KindsView(PaginatedView):
    scope = Scope.JOBS

    @extend_schema(
        summary="List the kinds of jobs with the schemas of their payloads",
        parameters=PAGE,
        responses=KindSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Whose jobs you may make, and whose wait because an operator said so."""
        user, paused = signed_in(request), paused_kinds()
        kinds: Any = [describe_kind(handler, user, paused) for handler in list_handlers()]
        return self.paginated(kinds, request, KindSerializer)


class PauseKindView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "jobs.change_job"}
    scope = Scope.JOBS

    @extend_schema(summary="Let a kind of jobs rest", request=None, responses=KindSerializer)
    def post(self, request: Request, kind: str) -> Response:
        """Its jobs wait from now on, whatever their time; those that run go on. Twice is once."""
        handler = _get_kind(kind)
        services.pause_kind(person(request), kind)
        return _answer(request, handler)


class ResumeKindView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "jobs.change_job"}
    scope = Scope.JOBS

    @extend_schema(summary="Let a kind of jobs go on", request=None, responses=KindSerializer)
    def post(self, request: Request, kind: str) -> Response:
        """What became due in the meantime runs at once. Twice is once."""
        handler = _get_kind(kind)
        services.resume_kind(person(request), kind)
        return _answer(request, handler)


def describe_kind(
    handler: AnyHandler, user: User, paused: dict[str, tuple[Any, str]]
) -> dict[str, Any]:
    paused_at, paused_by = paused.get(handler.kind, (None, ""))
    return {
        "kind": handler.kind,
        "version": handler.version,
        "create_by": handler.create_by.value,
        "may_create": may_create(user, handler),
        "payload_schema": handler.payload_model.model_json_schema(),
        "max_attempts": handler.max_attempts,
        "hard_limit_seconds": handler.hard_limit_seconds,
        "paused_at": paused_at,
        "paused_by": paused_by if paused_by and is_operator(user) else None,
    }


def _get_kind(kind: str) -> AnyHandler:
    handler = find_handler(kind)
    if handler is None:
        raise NotFound
    return handler


def _answer(request: Request, handler: AnyHandler) -> Response:
    described = describe_kind(handler, signed_in(request), paused_kinds())
    return Response(KindSerializer(described).data)
