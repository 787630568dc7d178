"""What my conversations may let out: seen, given by answering what asks, taken back."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agents import actions
from agents.api.drafts import DecisionView
from agents.api.serializers import AnswerConsentSerializer, ConsentSerializer, DecidedSerializer
from agents.consents import find_asking_draft, get_consent, list_consents, revoke_consent
from agents.selectors import get_conversation
from config.base.actor import Actor
from config.base.errors import Conflict
from config.base.models import Scope
from config.base.people import person, signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PaginatedView, list_parameters, ordered
from tools.models import ActionDraft

_ORDERINGS = ("given_at", "until", "service")


class ConsentsView(DecisionView, PaginatedView):
    scopes = {"GET": Scope.AGENT, "POST": Scope.ACTIONS_CONFIRM}
    takes_idempotency_key = True

    @property
    def error_codes(self) -> dict[int, list[str]]:  # type: ignore[override]  # a table elsewhere
        if self.request is None or self.request.method != "POST":
            return {}
        return {
            **super().error_codes,
            400: ["required", "invalid", "invalid_choice", "unknown_field"],
            403: ["denied"],
            404: ["not_found"],
            409: ["nothing_asked", *super().error_codes[409]],
            422: ["idempotency_key_reused"],
        }

    @extend_schema(
        summary="List the consents that I have given",
        parameters=list_parameters(*_ORDERINGS, default="-given_at"),
        responses=ConsentSerializer(many=True),
    )
    def get(self, request: Request) -> Any:
        """Those in force: which of my conversations may ask which service, and until when."""
        rows = list_consents(signed_in(request))
        rows = ordered(rows, request, allowed=_ORDERINGS, default="-given_at")
        return self.paginated(rows, request, ConsentSerializer)

    @extend_schema(
        summary="Give or refuse the consent that a conversation asks for",
        request=AnswerConsentSerializer,
        responses={200: DecidedSerializer, 202: DecidedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Confirms or dismisses the oldest draft of that conversation that asks for it.

        Its draft says what would leave for whom; with none of this kind it is 409 `nothing_asked`.
        """
        body = AnswerConsentSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        actor, chosen = person(request), self._chosen(request, body.validated_data).data
        if not body.validated_data["granted"]:
            return self.decided(lambda: actions.dismiss(actor, UUID(chosen["draft"])), receipt=True)
        return self.decided(lambda: _allow(actor, **chosen), receipt=True)

    @idempotent
    def _chosen(self, request: Request, asked: dict[str, Any]) -> Response:
        """Which draft is answered: sent again with its key, the same one and no other."""
        draft = _asking(person(request), asked["conversation_id"], asked["kind"])
        return Response({"draft": str(draft.pk), "version": draft.version})


class ConsentView(APIView):
    scope = Scope.AGENT

    @extend_schema(summary="One of my consents", responses=ConsentSerializer)
    def get(self, request: Request, consent_id: UUID) -> Response:
        """One that has ended, or was taken back, is not there any more."""
        return Response(ConsentSerializer(get_consent(signed_in(request), consent_id)).data)

    @extend_schema(summary="Take back a consent", request=None, responses={204: None})
    def delete(self, request: Request, consent_id: UUID) -> Response:
        """From the next call on, that conversation asks again."""
        revoke_consent(person(request), consent_id)
        return Response(status=204)


def _asking(actor: Actor, conversation_id: UUID, kind: str) -> ActionDraft:
    get_conversation(actor.user, conversation_id)
    draft = find_asking_draft(actor, conversation_id, kind)
    if draft is None:
        message = _("Nothing in this conversation asks for this consent.")
        raise Conflict(message, code="nothing_asked")
    return draft


def _allow(actor: Actor, draft: str, version: int) -> ActionDraft:
    return actions.confirm(
        actor,
        UUID(draft),
        expected_version=version,
        idempotency_key=f"consent:{draft}:{version}",
    )
