"""Agents, conversations and their messages."""

from typing import Any
from uuid import UUID

from django.db.models import F
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api.serializers import (
    AgentSerializer,
    ChangeConversationSerializer,
    ConversationSerializer,
    MessageSerializer,
    ProjectSerializer,
)
from agents.conversations import delete_conversation, rename_conversation
from agents.runs.projects import list_memberships
from agents.selectors import get_conversation, list_agents, list_conversations, list_messages
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.pagination import PaginatedView, list_parameters, ordered


class AgentsView(PaginatedView):
    scope = Scope.AGENT
    orderings = ("name", "slug", "created_at")

    @extend_schema(
        summary="List the agents I may use",
        parameters=list_parameters(*orderings, default="name"),
        responses=AgentSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Their slugs are what `agent` takes when a message is sent."""
        rows = ordered(
            list_agents(signed_in(request)), request, allowed=self.orderings, default="name"
        )
        return self.paginated(rows, request, AgentSerializer)


class ProjectsView(PaginatedView):
    """Where I am a member, and as what."""

    scope = Scope.AGENT
    orderings = ("name", "slug", "role")

    @extend_schema(
        summary="List my projects",
        parameters=list_parameters(*orderings, default="name"),
        responses=ProjectSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Where you are a member, and as what."""
        rows = list_memberships(signed_in(request)).annotate(
            name=F("project__name"), slug=F("project__slug")
        )
        rows = ordered(rows, request, allowed=self.orderings, default="name")
        return self.paginated(rows, request, ProjectSerializer)


class ConversationsView(PaginatedView):
    scope = Scope.AGENT
    orderings = ("updated_at", "created_at", "title")

    @extend_schema(
        summary="List my conversations, the latest first",
        parameters=list_parameters(*orderings, default="-updated_at"),
        responses=ConversationSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """With what was said last, and how much of it is unread."""
        rows = ordered(
            list_conversations(signed_in(request)),
            request,
            allowed=self.orderings,
            default="-updated_at",
        )
        return self.paginated(rows, request, ConversationSerializer)


class ConversationView(APIView):
    scope = Scope.AGENT

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "PATCH":
            return {400: ["required", "blank", "max_length", "invalid", "unknown_field"]}
        return {}

    @extend_schema(summary="One of my conversations", responses=ConversationSerializer)
    def get(self, request: Request, conversation_id: UUID) -> Response:
        """`context_version` goes with the next message, so that none is sent unread."""
        conversation = get_conversation(signed_in(request), conversation_id)
        return Response(ConversationSerializer(conversation).data)

    @extend_schema(
        summary="Give a conversation another title",
        request=ChangeConversationSerializer,
        responses=ConversationSerializer,
    )
    def patch(self, request: Request, conversation_id: UUID) -> Response:
        """Until then it has the beginning of its first message."""
        get_conversation(signed_in(request), conversation_id)
        body = ChangeConversationSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        conversation = rename_conversation(person(request), conversation_id, **body.validated_data)
        return Response(ConversationSerializer(conversation).data)

    @extend_schema(summary="Delete a conversation", request=None, responses={204: None})
    def delete(self, request: Request, conversation_id: UUID) -> Response:
        """With everything said in it; a run that still goes on is stopped. Documents stay."""
        delete_conversation(person(request), conversation_id)
        return Response(status=204)


class ConversationMessagesView(PaginatedView):
    scope = Scope.AGENT
    orderings = ("position",)

    @extend_schema(
        summary="The messages of a conversation, in order",
        parameters=list_parameters(*orderings, default="position"),
        responses=MessageSerializer(many=True),
    )
    def get(self, request: Request, conversation_id: UUID) -> Any:
        """`provenance` says where a text comes from: own, private or untrusted."""
        conversation = get_conversation(signed_in(request), conversation_id)
        rows = ordered(
            list_messages(conversation), request, allowed=self.orderings, default="position"
        )
        return self.paginated(rows, request, MessageSerializer)
