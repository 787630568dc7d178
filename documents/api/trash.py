"""`/api/agent-documents/trash/`: what was deleted and can be taken back."""

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.people import person, signed_in
from config.base.rest.pagination import PAGE, PaginatedView
from documents.api.serializers import (
    DocumentAnswer,
    PurgedAnswer,
    TrashAnswer,
    TrashedAnswer,
)
from documents.api.views import ID, SCOPES, answer_with
from documents.selectors import get_in_trash, list_trash
from documents.services import empty_trash, purge_document, restore_document

DELETED_ID = OpenApiParameter("deleted_id", OpenApiTypes.UUID, OpenApiParameter.PATH)


class Trash(PaginatedView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}  # no such page

    @extend_schema(
        summary="List the trash",
        operation_id="documents_trash_list",
        parameters=[
            *PAGE,
        ],
        responses=TrashAnswer(many=True),
    )
    def get(self, request: Request) -> Response:
        """What you or an agent of yours deleted in the last 30 days; the newest comes first."""
        deletions = list_trash(signed_in(request), timezone.now())
        answer: Response = self.paginated(deletions, request, TrashAnswer)
        return answer

    @extend_schema(
        summary="Empty the trash",
        operation_id="documents_trash_empty",
        responses={200: PurgedAnswer},
    )
    def delete(self, request: Request) -> Response:
        """Deletes for ever all that lies in it, with all its versions."""
        return Response({"deleted": empty_trash(person(request))})


class InTrash(APIView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}

    @extend_schema(
        summary="Read a deleted document",
        operation_id="documents_trash_read",
        parameters=[DELETED_ID],
        responses=TrashedAnswer,
    )
    def get(self, request: Request, deleted_id: str) -> Response:
        """What it said at last."""
        deletion = get_in_trash(signed_in(request), deleted_id, timezone.now())
        return Response(TrashedAnswer(deletion).data)

    @extend_schema(
        summary="Delete a document for ever",
        operation_id="documents_trash_purge",
        parameters=[DELETED_ID],
        responses={204: None},
    )
    def delete(self, request: Request, deleted_id: str) -> Response:
        """Out of the trash, with all its versions. Nobody can bring it back."""
        purge_document(person(request), deleted_id)
        return Response(status=204)


class Restore(APIView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}

    @extend_schema(
        summary="Restore a document",
        operation_id="documents_trash_restore",
        parameters=[ID],
        request=None,
        responses=DocumentAnswer,
    )
    def post(self, request: Request, document_id: str) -> Response:
        """What it was, under its id, one revision on. Once it is back, asking again is no change.

        After 30 days in the trash it is gone: `not_found`.
        """
        return answer_with(restore_document(person(request), document_id))
