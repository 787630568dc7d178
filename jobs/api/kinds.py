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
from jobs.enums import CreateBy
from jobs.registry import find_handler, list_kinds
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
        """Whose jobs you may make, and whose wait because an operator said so.

        Also those that rest while no handler of theirs is installed any more.
        """
        user, paused = signed_in(request), paused_kinds()
        kinds: Any = [
            describe_kind(kind, user, paused) for kind in sorted({*list_kinds(), *paused})
        ]
        return self.paginated(kinds, request, KindSerializer)


class PauseKindView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "jobs.change_job"}
    scope = Scope.JOBS

    @extend_schema(summary="Let a kind of jobs rest", request=None, responses=KindSerializer)
    def post(self, request: Request, kind: str) -> Response:
        """Its jobs wait from now on, whatever their time; those that run go on. Twice is once."""
        if find_handler(kind) is None:
            raise NotFound
        services.pause_kind(person(request), kind)
        return _answer(request, kind)


class ResumeKindView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "jobs.change_job"}
    scope = Scope.JOBS

    @extend_schema(summary="Let a kind of jobs go on", request=None, responses=KindSerializer)
    def post(self, request: Request, kind: str) -> Response:
        """What became due in the meantime runs at once. Twice is once.

        Also of a kind that is gone, so that its pause can't outlive it.
        """
        if find_handler(kind) is None and kind not in paused_kinds():
            raise NotFound
        services.resume_kind(person(request), kind)
        return _answer(request, kind)


def describe_kind(kind: str, user: User, paused: dict[str, tuple[Any, str]]) -> dict[str, Any]:
    """Of one that is gone there is nothing to say but that it rests, or did."""
    handler = find_handler(kind)
    paused_at, paused_by = paused.get(kind, (None, ""))
    return {
        "kind": kind,
        "description": str(handler.description) if handler else "",
        "version": handler.version if handler else None,
        "create_by": handler.create_by.value if handler else CreateBy.NOBODY.value,
        "may_create": handler is not None and may_create(user, handler),
        "payload_schema": handler.payload_model.model_json_schema() if handler else None,
        "max_attempts": handler.max_attempts if handler else None,
        "hard_limit_seconds": handler.hard_limit_seconds if handler else None,
        "paused_at": paused_at,
        "paused_by": paused_by if paused_by and is_operator(user) else None,
    }


def _answer(request: Request, kind: str) -> Response:
    described = describe_kind(kind, signed_in(request), paused_kinds())
    return Response(KindSerializer(described).data)
