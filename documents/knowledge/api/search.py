"""`/api/knowledge/search/`: the passages that answer."""

from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.people import signed_in
from config.base.rest.parameters import refuse_unknown_parameters
from documents.knowledge.api.serializers import FoundAnswer
from documents.knowledge.api.spaces import SCOPE
from documents.knowledge.searching import MOST, USUAL, search_passages
from documents.knowledge.selectors import get_space

MOST_CHARS = 2_000


class Search(APIView):
    scope = SCOPE
    error_codes = {
        400: ["required", "max_length", "invalid", "unknown_parameter"],
        404: ["not_found"],
    }

    @extend_schema(
        summary="Search",
        operation_id="knowledge_search",
        parameters=[
            OpenApiParameter(
                "q",
                {"type": "string", "minLength": 1, "maxLength": MOST_CHARS},
                required=True,
                description="A question",
            ),
            OpenApiParameter("space", OpenApiTypes.UUID, description="In this one alone"),
            OpenApiParameter(
                "limit", {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}
            ),
        ],
        responses=FoundAnswer,
    )
    def get(self, request: Request) -> Response:
        """The passages that answer best, of files that you may read at this moment."""
        refuse_unknown_parameters(self, request)
        query, user = request.query_params, signed_in(request)
        spaces = [get_space(user, query["space"]).pk] if "space" in query else None
        found = search_passages(user, _question(request), spaces=spaces, limit=_limit(request))
        answer = {
            "status": "COMPLETED" if found.evidence else "NO_EVIDENCE",
            "without_meaning": found.without_meaning,
            "results": found.cited,
        }
        return Response(FoundAnswer(answer).data)


def _question(request: Request) -> str:
    question = request.query_params.get("q", "").strip()
    if not question:
        raise _wrong("q", _("Ask something."), "required")
    if len(question) > MOST_CHARS:
        message = _("A question has at most %(most)s characters.") % {"most": MOST_CHARS}
        raise _wrong("q", message, "max_length")
    return question


def _limit(request: Request) -> int:
    given = request.query_params.get("limit", str(USUAL))
    if not (given.isascii() and given.isdigit() and len(given) < 4 and 1 <= int(given) <= MOST):
        message = _("A whole number from 1 to %(most)s.") % {"most": MOST}
        raise _wrong("limit", message, "invalid")
    return int(given)


def _wrong(name: str, message: str, code: str) -> ValidationError:
    return ValidationError({name: [ErrorDetail(message, code)]})
