"""The inbox: action drafts, and the person's decisions on them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents import actions
from agents.api.deciding import (
    ConfirmSerializer,
    DismissSerializer,
    ResolveSerializer,
    RespondSerializer,
    ReviseSerializer,
)
from agents.api.serializers import DecidedSerializer, DraftConflictSerializer, DraftSerializer
from agents.models import ResponseStatus
from agents.runs.response import build_response
from agents.selectors import find_resumed_run, wait_for_run
from config.base.errors import GatehouseError
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from tools.drafts.represent import answer_json, draft_json
from tools.enums import DraftState
from tools.models import ActionDraft
from tools.models.draft import ActionDraftQuerySet
from tools.selectors import get_draft, list_drafts

_ORDERINGS = ("created_at", "expires_at", "state")
_CONFLICTS = ["stale_version", "target_changed", "conditions_changed", "already_decided"]


class ActionsView(PaginatedView):
    """Drafts of mine, newest first; `?state=` narrows."""

    scope = Scope.AGENT
    error_codes = {400: ["invalid"]}

    @extend_schema(
        summary="List my action drafts",
        parameters=[
            OpenApiParameter("state", str, enum=[*DraftState.values, "waiting"]),
            *list_parameters(*_ORDERINGS, default="-created_at"),
        ],
        responses=DraftSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """What waits for you (`state=waiting`), and what you have decided; the newest first."""
        rows = _in_state(list_drafts(signed_in(request)), request.query_params.get("state"))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-created_at")
        return self.paginated(rows, request, DraftSerializer)


def _in_state(rows: ActionDraftQuerySet, state: str | None) -> ActionDraftQuerySet:
    if state is None:
        return rows
    if state == "waiting":
        return rows.waiting()
    if state not in DraftState.values:
        raise ValidationError({"state": _("Unknown state.")})
    return rows.filter(state=state)


class ActionView(APIView):
    scopes = {"GET": Scope.AGENT, "PATCH": Scope.ACTIONS_CONFIRM}
    error_shapes = {409: DraftConflictSerializer}

    @property
    def error_codes(self) -> dict[int, list[str]]:
        if self.request is not None and self.request.method == "GET":
            return {}
        return {
            400: ["not_editable", "invalid_arguments"],
            403: ["denied"],
            409: _CONFLICTS,
            410: ["expired"],
        }

    @extend_schema(summary="One of my action drafts", responses=DraftSerializer)
    def get(self, request: Request, draft_id: UUID) -> Response:
        """As it is now: what would be done to what, why you are asked, and how it ended."""
        return Response(draft_json(get_draft(signed_in(request), draft_id)))

    @extend_schema(
        summary="Fill in what a draft lacks, or revise one that failed",
        request=ReviseSerializer,
        responses=DraftSerializer,
    )
    def patch(self, request: Request, draft_id: UUID) -> Response:
        """Nothing is executed: the draft has a new version and preview, to be confirmed."""
        body = _validated(ReviseSerializer, request)
        draft = _with_fresh_draft(lambda: actions.revise(person(request), draft_id, **body))
        return Response(draft_json(draft))


class DecisionView(APIView):
    """Base of the four decisions: each may set the run going again and waits for it."""

    scope = Scope.ACTIONS_CONFIRM
    error_shapes = {409: DraftConflictSerializer}
    error_codes: dict[int, list[str]] = {409: _CONFLICTS, 410: ["expired"]}

    def decided(self, decide: Callable[[], ActionDraft], *, receipt: bool = False) -> Response:
        draft = _with_fresh_draft(decide)
        body: dict[str, Any] = {"draft": draft_json(draft), "response": _response_of(draft)}
        if receipt:
            body |= {"receipt": draft.receipt, "result": answer_json(draft)}
        running = body["response"] and body["response"]["status"] == ResponseStatus.RUNNING
        return Response(body, status=202 if running else 200)


class ConfirmView(DecisionView):
    error_codes = {
        400: ["not_editable", "needs_input", "invalid_arguments", "not_rememberable"],
        403: ["denied"],
        409: _CONFLICTS,
        410: ["expired"],
        422: ["idempotency_key_reused"],
    }

    @extend_schema(
        summary="Confirm a draft: it is executed exactly as shown, once",
        request=ConfirmSerializer,
        responses={200: DecidedSerializer, 202: DecidedSerializer},
    )
    def post(self, request: Request, draft_id: UUID) -> Response:
        """The same `idempotency_key` again returns the receipt of the first time.

        Every gate is asked once more: what has changed since is 409 with the fresh draft, or 403
        if it is refused by now. The answer waits for the resumed run, two minutes at most (202).
        """
        body = _validated(ConfirmSerializer, request)
        return self.decided(
            lambda: actions.confirm(person(request), draft_id, **body), receipt=True
        )


class DismissView(DecisionView):
    @extend_schema(
        summary="Refuse a draft; nothing is done",
        request=DismissSerializer,
        responses={200: DecidedSerializer, 202: DecidedSerializer},
    )
    def post(self, request: Request, draft_id: UUID) -> Response:
        """The agent is told so, with your reason, and goes on."""
        body = _validated(DismissSerializer, request)
        return self.decided(lambda: actions.dismiss(person(request), draft_id, **body))


class RespondView(DecisionView):
    @extend_schema(
        summary="Answer in words instead of confirming",
        request=RespondSerializer,
        responses={200: DecidedSerializer, 202: DecidedSerializer},
    )
    def post(self, request: Request, draft_id: UUID) -> Response:
        """Nothing is done; the agent reads your words as the answer to its call."""
        body = _validated(RespondSerializer, request)
        return self.decided(lambda: actions.respond(person(request), draft_id, **body))


class ResolveView(DecisionView):
    @extend_schema(
        summary="Say how an act of unknown outcome ended",
        request=ResolveSerializer,
        responses={200: DecidedSerializer, 202: DecidedSerializer},
    )
    def post(self, request: Request, draft_id: UUID) -> Response:
        """`done`: it had happened. `retry`: it had not, and waits to be confirmed again."""
        body = _validated(ResolveSerializer, request)
        done = body.pop("outcome") == "done"
        return self.decided(
            lambda: actions.resolve(person(request), draft_id, done=done, **body), receipt=True
        )


def _validated(serializer: type[Any], request: Request) -> dict[str, Any]:
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def _with_fresh_draft(decide: Callable[[], ActionDraft]) -> ActionDraft:
    """A conflict carries the draft as it is now, so that the client can show it at once."""
    try:
        return decide()
    except GatehouseError as error:
        draft = error.details.get("draft")
        if isinstance(draft, ActionDraft):
            error.details["draft"] = draft_json(draft)
        raise


def _response_of(draft: ActionDraft) -> dict[str, Any] | None:
    """That of the resumed run, which may wait anew; null while others of its step wait still."""
    run = find_resumed_run(draft.call)
    if run is None:
        return None
    return build_response(wait_for_run(run, seconds=settings.RUN_WAIT_SECONDS))
