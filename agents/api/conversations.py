"""Agents, conversations and their messages."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api.serializers import AgentSerializer, ConversationSerializer, MessageSerializer
from agents.selectors import get_conversation, list_agents, list_conversations, list_messages
from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.pagination import PaginatedView


class AgentsView(PaginatedView):
    scope = Scope.AGENT

    @extend_schema(summary="List the agents I may use", responses=AgentSerializer(many=True))
    def get(self, request: Request) -> Any:
        return self.paginated(list_agents(signed_in(request)), request, AgentSerializer)


class ConversationsView(PaginatedView):
    scope = Scope.AGENT

    @extend_schema(
        summary="List my conversations, the latest first",
        responses=ConversationSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        return self.paginated(
            list_conversations(signed_in(request)), request, ConversationSerializer
        )


class ConversationView(APIView):
    scope = Scope.AGENT

    @extend_schema(summary="One of my conversations", responses=ConversationSerializer)
    def get(self, request: Request, conversation_id: UUID) -> Response:
        conversation = get_conversation(signed_in(request), conversation_id)
        return Response(ConversationSerializer(conversation).data)


class ConversationMessagesView(PaginatedView):
    scope = Scope.AGENT

    @extend_schema(
        summary="The messages of a conversation, in order", responses=MessageSerializer(many=True)
    )
    def get(self, request: Request, conversation_id: UUID) -> Any:
        conversation = get_conversation(signed_in(request), conversation_id)
        return self.paginated(list_messages(conversation), request, MessageSerializer)
