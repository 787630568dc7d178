"""Sending a message, and the runs that come of it."""

from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents.api.serializers import (
    EventSerializer,
    ResponseSerializer,
    RunSerializer,
    SendMessageSerializer,
)
from agents.api.streams import CONTENT_TYPE, stream_response
from agents.models import ResponseStatus, Run
from agents.runs.finish import cancel_run
from agents.runs.projects import ProjectRequired
from agents.runs.response import ask_for_project, build_response
from agents.runs.start import TurnRequest, start_turn
from agents.selectors import get_run, list_runs, wait_for_run
from config.base.actor import Origin
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.idempotency import key_of
from config.base.rest.pagination import PaginatedView, list_parameters, ordered


class EventStreamRenderer(BaseRenderer):
    """Only so that `Accept: text/event-stream` is something this view can give."""

    media_type = CONTENT_TYPE
    format = "event-stream"

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        """What is no stream after all (OPTIONS) is JSON."""
        return JSONRenderer().render(data)


class EventsView(APIView):
    """May answer with events; an error before they began is JSON, whatever was asked for."""

    renderer_classes = (JSONRenderer, EventStreamRenderer)

    def handle_exception(self, exc: Exception) -> Response:
        answer_as_json(self.request)
        return super().handle_exception(exc)


def answer_as_json(request: Request) -> None:
    request.accepted_renderer = JSONRenderer()
    request.accepted_media_type = JSONRenderer.media_type


def wants_stream(request: Request) -> bool:
    """As the one content negotiation decided it."""
    return isinstance(request.accepted_renderer, EventStreamRenderer)


def respond(run: Run) -> Response:
    """200 with the response; 202 while the run is still going."""
    body = build_response(run)
    running = body["status"] == ResponseStatus.RUNNING
    return Response(body, status=202 if running else 200)


class MessagesView(EventsView):
    """Say something to an agent."""

    scope = Scope.AGENT
    takes_idempotency_key = True
    error_codes = {
        400: [
            *("required", "blank", "max_length", "invalid", "unknown_field"),
            *("agent_mismatch", "project_mismatch", "invalid_idempotency_key", "not_supported"),
        ],
        404: ["not_found"],
        409: ["stale_context", "run_active"],
        422: ["idempotency_key_reused"],
    }

    @extend_schema(
        summary="Send a message to an agent",
        description=(
            "Answers with the whole response, 202 when it takes longer than two minutes, or, with "
            "`Accept: text/event-stream`, with the run's events as they happen. Who is in several "
            "projects and begins a conversation without naming one gets `NEEDS_INPUT` with the "
            "choices, as JSON, and no run: send the message again with `project`."
        ),
        request=SendMessageSerializer,
        responses={
            (200, "application/json"): ResponseSerializer,
            (200, CONTENT_TYPE): OpenApiResponse(EventSerializer, "The run's events."),
            (202, "application/json"): ResponseSerializer,
        },
    )
    def post(self, request: Request) -> Any:
        body = SendMessageSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        turn = TurnRequest(
            **body.validated_data,
            idempotency_key=key_of(request),
            origin=Origin.CHAT,
            client="page" if request.auth is None else "token",
        )
        try:
            run = start_turn(signed_in(request), turn)
        except ProjectRequired as error:
            answer_as_json(request)
            return Response(ask_for_project(error.message, error.details["choices"]))
        if wants_stream(request):
            return stream_response(request, run)
        return respond(wait_for_run(run, seconds=settings.RUN_WAIT_SECONDS))


class RunsView(PaginatedView):
    """My runs, newest first."""

    scope = Scope.AGENT
    orderings = ("created_at", "status")

    @extend_schema(
        summary="List my runs",
        parameters=list_parameters(*orderings, default="-created_at"),
        responses=RunSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """One for each message: which tools it used, what it cost, how it ended."""
        rows = ordered(
            list_runs(signed_in(request)), request, allowed=self.orderings, default="-created_at"
        )
        return self.paginated(rows, request, RunSerializer)


class RunView(APIView):
    scope = Scope.AGENT

    @extend_schema(summary="The response of a run as it stands", responses=ResponseSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """For who got 202, or lost the connection."""
        return Response(build_response(get_run(signed_in(request), run_id)))


class RunEventsView(EventsView):
    scope = Scope.AGENT

    @extend_schema(
        summary="The events of a run, from where a client stopped",
        parameters=[
            OpenApiParameter(
                "Last-Event-ID",
                str,
                OpenApiParameter.HEADER,
                description="Only later events; what is no event's id counts as none.",
            )
        ],
        responses={(200, CONTENT_TYPE): OpenApiResponse(EventSerializer, "The events.")},
    )
    def get(self, request: Request, run_id: UUID) -> Any:
        """All of them, then those to come, until the run waits for a person or is over."""
        run = get_run(signed_in(request), run_id)
        return stream_response(request, run, after=_last_event(request))


def _last_event(request: Request) -> int:
    """What is no number of an event is none: everything is sent again, and nothing missed."""
    last = request.headers.get("Last-Event-ID", "")
    return int(last) if last.isascii() and last.isdigit() and len(last) < 10 else 0


class RunCancelView(APIView):
    scope = Scope.AGENT

    @extend_schema(summary="Stop a run", request=None, responses=ResponseSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """What it waits for is dismissed; what it has done stays done. Twice is once."""
        return Response(build_response(cancel_run(person(request), run_id)))
