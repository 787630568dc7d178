"""`/api/knowledge/spaces/`: spaces and who is in them."""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from config.base.models import User
from config.base.people import person, signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PAGE, PaginatedView
from documents.enums import SpaceRole
from documents.knowledge import services
from documents.knowledge.access import find_roles
from documents.knowledge.api.serializers import (
    MemberAnswer,
    MemberBody,
    SpaceAnswer,
    SpaceBody,
    SpaceChangeBody,
)
from documents.knowledge.selectors import get_member, get_space, list_members, list_spaces
from documents.models import KnowledgeSpace

SCOPE = "knowledge"
SPACE_ID = OpenApiParameter("space_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
_MEMBER_ID = OpenApiParameter("member_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
_BAD_NAME = ["empty", "too_long", "invalid", "unknown_field"]


class Spaces(PaginatedView):
    scope = SCOPE
    takes_idempotency_key = True
    error_codes = {400: _BAD_NAME, 404: ["not_found"]}

    @extend_schema(
        summary="List spaces",
        operation_id="knowledge_spaces_list",
        parameters=[*PAGE],
        responses=SpaceAnswer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Those you may read at this moment, by name."""
        user = signed_in(request)
        answer: Response = self.paginated(list_spaces(user), request, _of(user))
        return answer

    @extend_schema(
        summary="Create a space",
        operation_id="knowledge_spaces_create",
        request=SpaceBody,
        responses={201: SpaceAnswer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """You manage it. A project's is read by all who work in the project."""
        space = services.create_space(person(request), **given(SpaceBody, request))
        return Response(_answer(signed_in(request), space.pk), status=201)


class OneSpace(APIView):
    scope = SCOPE
    error_codes = {400: _BAD_NAME, 403: ["role_missing"], 404: ["not_found"]}

    @extend_schema(
        summary="Read a space",
        operation_id="knowledge_spaces_read",
        parameters=[SPACE_ID],
        responses=SpaceAnswer,
    )
    def get(self, request: Request, space_id: UUID) -> Response:
        """What it is called, how many files it has, what you may do in it."""
        return Response(_answer(signed_in(request), space_id))

    @extend_schema(
        summary="Change a space",
        operation_id="knowledge_spaces_change",
        parameters=[SPACE_ID],
        request=SpaceChangeBody,
        responses=SpaceAnswer,
    )
    def patch(self, request: Request, space_id: UUID) -> Response:
        """For its managers."""
        services.change_space(person(request), space_id, **given(SpaceChangeBody, request))
        return Response(_answer(signed_in(request), space_id))

    @extend_schema(
        summary="Delete a space",
        operation_id="knowledge_spaces_delete",
        parameters=[SPACE_ID],
        responses={204: None},
    )
    def delete(self, request: Request, space_id: UUID) -> Response:
        """With all its files, for good. For its managers."""
        services.delete_space(person(request), space_id)
        return Response(status=204)


class Members(PaginatedView):
    scope = SCOPE
    takes_idempotency_key = True
    error_codes = {
        400: ["unknown_field"],
        403: ["role_missing"],
        404: ["not_found"],
        409: ["last_manager"],
    }

    @extend_schema(
        summary="List members",
        operation_id="knowledge_members_list",
        parameters=[SPACE_ID, *PAGE],
        responses=MemberAnswer(many=True),
    )
    def get(self, request: Request, space_id: UUID) -> Response:
        """Who was let in by name; those of the space's project read it without."""
        user = signed_in(request)
        space = get_space(user, space_id)
        answer: Response = self.paginated(list_members(user, space.pk), request, MemberAnswer)
        return answer

    @extend_schema(
        summary="Let somebody in, or change their role",
        operation_id="knowledge_members_put",
        parameters=[SPACE_ID],
        request=MemberBody,
        responses=MemberAnswer,
    )
    @idempotent
    def post(self, request: Request, space_id: UUID) -> Response:
        """For its managers. Once more is no change."""
        body = given(MemberBody, request)
        role = SpaceRole(body["role"])
        member = services.put_member(person(request), space_id, body["username"], role)
        return Response(MemberAnswer(member).data)


class OneMember(APIView):
    scope = SCOPE
    error_codes = {403: ["role_missing"], 404: ["not_found"], 409: ["last_manager"]}

    @extend_schema(
        summary="Read about a member",
        operation_id="knowledge_members_read",
        parameters=[SPACE_ID, _MEMBER_ID],
        responses=MemberAnswer,
    )
    def get(self, request: Request, space_id: UUID, member_id: UUID) -> Response:
        """Who it is, and what they may do."""
        member = get_member(signed_in(request), space_id, member_id)
        return Response(MemberAnswer(member).data)

    @extend_schema(
        summary="Take somebody out",
        operation_id="knowledge_members_remove",
        parameters=[SPACE_ID, _MEMBER_ID],
        responses={204: None},
    )
    def delete(self, request: Request, space_id: UUID, member_id: UUID) -> Response:
        """For its managers; anybody may go themselves."""
        services.remove_member(person(request), space_id, member_id)
        return Response(status=204)


def given(body: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    serializer = body(data=request.data)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _answer(user: User, space_id: UUID) -> Any:
    space = get_space(user, space_id)
    return SpaceAnswer(with_roles(user, [space])[0]).data


def with_roles(user: User, spaces: list[KnowledgeSpace]) -> list[KnowledgeSpace]:
    roles = find_roles(user, spaces)
    for space in spaces:
        space.role = roles.get(space.pk, SpaceRole.READER)  # type: ignore[attr-defined]  # the asker's
    return spaces


def _of(user: User) -> Any:
    """As a serializer of a page: roles for all of them at once."""

    def serialize(page: list[KnowledgeSpace], many: bool = True) -> Any:
        return SpaceAnswer(with_roles(user, list(page)), many=many)

    return serialize
