"""`/api/agent-documents/`: a person's own documents, as the `document` tool sees them."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.views import APIView

from config.base.errors import PreconditionFailed
from config.base.people import person, signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PAGE, PaginatedView
from documents import services
from documents.api.etags import is_known, require_match, with_tag
from documents.api.serializers import ChangeBody, DocumentAnswer, DocumentBody, ItemAnswer
from documents.enums import DocumentType
from documents.finding.hits import find_hits
from documents.finding.showing import show
from documents.models import Document
from documents.selectors import (
    BEST_FIRST,
    NEWEST_FIRST,
    ORDERINGS,
    get_document,
    list_documents,
)
from documents.services import StaleRevision
from documents.texts import clean_type

IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, description='The ETag you read, such as `"3"`'
)
_IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="304 if it is at this ETag still"
)
ID = OpenApiParameter("document_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
SCOPES = {
    "GET": "documents:read",
    "POST": "documents:write",
    "PUT": "documents:write",
    "PATCH": "documents:write",
    "DELETE": "documents:write",
}


class Documents(PaginatedView):
    scopes = SCOPES
    takes_idempotency_key = True
    error_codes = {400: ["empty", "too_long", "invalid", "unknown_field"], 404: ["not_found"]}

    @extend_schema(
        summary="List documents",
        operation_id="documents_list",
        parameters=[
            OpenApiParameter("type", str, enum=DocumentType.values),
            OpenApiParameter(
                "q",
                str,
                description="What to look for: words, a question, a title, an id, a part of a name",
            ),
            OpenApiParameter("tag", str),
            OpenApiParameter(
                "ordering",
                str,
                enum=[BEST_FIRST, *(sign + name for name in ORDERINGS for sign in ("", "-"))],
                description="Without it: the best matches of `q`, else what was changed last",
            ),
            *PAGE,
        ],
        responses=ItemAnswer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Without their contents. With `q` each says why it was found, and where it matches."""
        user, given = signed_in(request), request.query_params
        kind, tag = clean_type(given["type"]) if "type" in given else "", given.get("tag", "")
        found = find_hits(user, given.get("q", ""), type=kind, tag=tag)
        ordering = given.get("ordering", BEST_FIRST if found.q else NEWEST_FIRST)
        documents = list_documents(user, type=kind, tag=tag, ordering=ordering, found=found)
        paginator = self.pagination_class()
        page = paginator.paginate_queryset(documents, request, view=self) or []
        show(user, page, found)
        return paginator.get_paginated_response(ItemAnswer(page, many=True).data)

    @extend_schema(
        summary="Create a document",
        operation_id="documents_create",
        request=DocumentBody,
        responses={201: DocumentAnswer},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Send an Idempotency-Key to make it once, however often the request arrives."""
        document = services.create_document(person(request), **_given(DocumentBody, request))
        return answer_with(document, status=201)


class OneDocument(APIView):
    scopes = SCOPES
    error_codes = {
        400: ["empty", "too_long", "invalid", "unknown_field"],
        404: ["not_found"],
        409: ["stale_revision"],
        412: ["precondition_failed"],
    }

    @extend_schema(
        summary="Read a document",
        operation_id="documents_read",
        parameters=[ID, _IF_NONE_MATCH],
        responses={200: DocumentAnswer, 304: None},
    )
    def get(self, request: Request, document_id: str) -> Response:
        """With its content; the ETag is its revision, and `If-None-Match` spares you the rest."""
        document = get_document(signed_in(request), document_id)
        if is_known(request, document):
            return with_tag(Response(status=304), document)
        return answer_with(document)

    @extend_schema(
        summary="Change a document",
        operation_id="documents_update",
        parameters=[ID, IF_MATCH],
        request=ChangeBody(partial=True),
        responses=DocumentAnswer,
    )
    def put(self, request: Request, document_id: str) -> Response:
        """Changes the fields that are given and leaves the others, as PATCH does."""
        return self._change(request, document_id)

    @extend_schema(
        summary="Change parts of a document",
        operation_id="documents_patch",
        parameters=[ID, IF_MATCH],
        request=ChangeBody,
        responses=DocumentAnswer,
    )
    def patch(self, request: Request, document_id: str) -> Response:
        """A content without a summary gets a new one made from its beginning."""
        return self._change(request, document_id)

    @extend_schema(
        summary="Delete a document",
        operation_id="documents_delete",
        parameters=[ID, IF_MATCH],
        responses={204: None},
    )
    def delete(self, request: Request, document_id: str) -> Response:
        """Its last text stays in your trash for 30 days."""
        document = get_document(signed_in(request), document_id)
        matched = require_match(request, document)
        try:
            services.delete_document(person(request), document.pk, expected_revision=matched)
        except StaleRevision as error:
            raise late(error) from error
        return Response(status=204)

    def _change(self, request: Request, document_id: str) -> Response:
        document = get_document(signed_in(request), document_id)
        changes = _given(ChangeBody, request, partial=True)
        expected = changes.pop("expected_revision", None)
        matched = require_match(request, document)
        try:
            changed = services.update_document(
                person(request), document.pk, expected_revision=expected or matched, **changes
            )
        except StaleRevision as error:
            raise (late(error) if matched and not expected else error) from error
        return answer_with(changed)


def late(error: StaleRevision) -> PreconditionFailed:
    """Somebody saved between our look at `If-Match` and the lock."""
    return PreconditionFailed(error.message, **error.details)


def answer_with(document: Document, status: int = 200) -> Response:
    return with_tag(Response(DocumentAnswer(document).data, status=status), document)


def _given(body: type[Serializer[Any]], request: Request, *, partial: bool = False) -> Any:
    serializer = body(data=request.data, partial=partial)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)
