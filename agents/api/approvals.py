"""Standing approvals: what I need not be asked again, and taking that back."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api import examples
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.examples import answers_like
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from tools.approvals.selectors import get_approval, list_approvals
from tools.approvals.services import revoke_approval
from tools.approvals.state import ApprovalState, state_of
from tools.models import StandingApproval

_ORDERINGS = ("created_at", "expires_at")


@answers_like(for_this_conversation=examples.STANDING_APPROVAL)
class StandingApprovalSerializer(serializers.ModelSerializer[StandingApproval]):
    tool = serializers.CharField(source="tool_slug", help_text="Its slug.")
    agent_id = serializers.UUIDField(allow_null=True, help_text="Null: every agent.")
    conversation_id = serializers.UUIDField(
        allow_null=True, help_text="Null: in every conversation."
    )
    state = serializers.SerializerMethodField()
    reasons = serializers.ListField(
        child=serializers.CharField(), help_text="The demands of the approval gate it answers."
    )
    uses_left = serializers.IntegerField(allow_null=True, help_text="Null: no limit.")
    draft_id = serializers.UUIDField(
        allow_null=True, help_text="The draft with whose confirmation it was given."
    )

    class Meta:
        model = StandingApproval
        fields = [
            "id",
            "tool",
            "agent_id",
            "conversation_id",
            "state",
            "reasons",
            "uses",
            "uses_left",
            "draft_id",
            "created_at",
            "expires_at",
            "last_used_at",
            "revoked_at",
        ]

    @extend_schema_field(serializers.ChoiceField(choices=ApprovalState.choices))
    def get_state(self, approval: StandingApproval) -> str:
        return state_of(approval, now=timezone.now())


class StandingApprovalsView(PaginatedView):
    scope = Scope.AGENT
    error_codes = {400: ["invalid"]}

    @extend_schema(
        summary="List my standing approvals",
        parameters=list_parameters(*_ORDERINGS, default="-created_at"),
        responses=StandingApprovalSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Those in force and those that are not any more, the newest first.

        One is given with `remember` when a draft is confirmed.
        """
        rows = list_approvals(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, StandingApprovalSerializer)


class StandingApprovalView(APIView):
    scopes = {"GET": Scope.AGENT, "DELETE": Scope.ACTIONS_CONFIRM}

    @extend_schema(summary="One of my standing approvals", responses=StandingApprovalSerializer)
    def get(self, request: Request, approval_id: UUID) -> Response:
        """Whether it still counts, and how often it has."""
        approval = get_approval(signed_in(request), approval_id)
        return Response(StandingApprovalSerializer(approval).data)

    @extend_schema(summary="Revoke a standing approval", responses={204: None})
    def delete(self, request: Request, approval_id: UUID) -> Response:
        """From the next call on you are asked again. It stays in the list; twice is once."""
        revoke_approval(person(request), approval_id)
        return Response(status=204)
