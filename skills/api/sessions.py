"""My workflows: which are under way, what they know by now, and stopping or going on with them."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.examples import answers_like
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from skills.api import examples
from skills.enums import SessionState, StepKind
from skills.models import WorkflowSession
from skills.workflows.moving import Change, Moved
from skills.workflows.selectors import get_session
from skills.workflows.services import cancel_session, pause_session, resume_session
from skills.workflows.shown import name_of, steps_of

_ORDERINGS = ("created_at",)


class StepSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field; DRF has one, too
    question = serializers.CharField()
    kind = serializers.ChoiceField(StepKind.choices)
    optional = serializers.BooleanField()
    state = serializers.ChoiceField(["answered", "skipped", "asked", "open"])
    answer = serializers.JSONField(
        allow_null=True, help_text="A text or a list of texts; null without one."
    )
    text = serializers.CharField(allow_blank=True, help_text="The answer in one line.")


@answers_like(it_asks=examples.SESSION)
class SessionSerializer(serializers.ModelSerializer[WorkflowSession]):
    name = serializers.SerializerMethodField()
    state = serializers.ChoiceField(SessionState.choices)
    step = serializers.CharField(
        allow_blank=True, help_text="The one that is asked; empty once each has its answer."
    )
    agent = serializers.UUIDField(source="agent_id", allow_null=True)
    conversation = serializers.UUIDField(source="conversation_id")
    message = serializers.UUIDField(source="message_id", help_text="The message that began it.")
    tool_call = serializers.UUIDField(
        source="tool_call_id", allow_null=True, help_text="By which it is written, or was to be."
    )

    class Meta:
        model = WorkflowSession
        fields = [
            *("id", "skill_id", "version", "name", "state", "step", "agent", "conversation"),
            *("message", "tool_call", "created_at", "updated_at", "expires_at", "finished_at"),
        ]

    def get_name(self, session: WorkflowSession) -> str:
        return name_of(session)


@answers_like(it_asks=examples.SESSION_DETAIL)
class SessionDetailSerializer(SessionSerializer):
    steps = serializers.SerializerMethodField()

    class Meta(SessionSerializer.Meta):
        fields = [*SessionSerializer.Meta.fields, "steps"]

    @extend_schema_field(StepSerializer(many=True))
    def get_steps(self, session: WorkflowSession) -> Any:
        return StepSerializer(steps_of(session), many=True).data


class SessionsView(PaginatedView):
    scope = Scope.SKILLS
    error_codes = {400: ["invalid"]}

    @extend_schema(
        summary="List my workflows, newest first",
        parameters=list_parameters(*_ORDERINGS, default="-created_at"),
        responses=SessionSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Under way, paused and ended; what was answered stands in each of them alone."""
        rows = WorkflowSession.objects.for_user(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, SessionSerializer)


class SessionView(APIView):
    scope = Scope.SKILLS

    @extend_schema(summary="One of my workflows", responses=SessionDetailSerializer)
    def get(self, request: Request, session_id: UUID) -> Response:
        """With its steps and what was answered; no steps once its skill is gone."""
        return _answer(request, session_id)


class PauseSessionView(APIView):
    scope = Scope.SKILLS
    error_codes = {409: ["workflow_over"]}

    @extend_schema(summary="Pause a workflow", request=None, responses=SessionDetailSerializer)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Messages of its conversation are ordinary ones until it is resumed. Twice is once."""
        return _moved(request, pause_session(_change(request, session_id)))


class ResumeSessionView(APIView):
    scope = Scope.SKILLS
    error_codes = {
        403: ["skill_disabled"],
        404: ["unknown_skill"],
        409: ["workflow_over", "workflow_active"],
    }

    @extend_schema(summary="Go on with a workflow", request=None, responses=SessionDetailSerializer)
    def post(self, request: Request, session_id: UUID) -> Response:
        """The next message of its conversation is the answer to its step. Twice is once."""
        return _moved(request, resume_session(_change(request, session_id)))


class CancelSessionView(APIView):
    scope = Scope.SKILLS
    error_codes = {409: ["workflow_over"]}

    @extend_schema(summary="Cancel a workflow", request=None, responses=SessionDetailSerializer)
    def post(self, request: Request, session_id: UUID) -> Response:
        """Nothing is written, and a card that waits is dismissed. Confirmed a moment before, it is
        `completed` instead.
        """
        return _moved(request, cancel_session(_change(request, session_id)))


def _change(request: Request, session_id: UUID) -> Change:
    return Change(person(request), session_id, timezone.now())


def _moved(request: Request, moved: Moved) -> Response:
    return _answer(request, moved.session.pk)


def _answer(request: Request, session_id: UUID) -> Response:
    session = get_session(signed_in(request), session_id)
    return Response(SessionDetailSerializer(session).data)
