"""`/api/agent-documents/trash/`: what was deleted and can be taken back."""

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.people import signed_in
from config.base.rest.pagination import PaginatedView
from documents.api.serializers import DocumentAnswer, TrashAnswer
from documents.api.views import ID, SCOPES, actor_of, answer_with
from documents.selectors import list_trash
from documents.services import restore_document


class Trash(PaginatedView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}  # no such page

    @extend_schema(
        summary="List the trash",
        operation_id="documents_trash_list",
        parameters=[
            OpenApiParameter("page", int),
            OpenApiParameter("page_size", int, description="At most 100; 20 if left out"),
        ],
        responses=TrashAnswer(many=True),
    )
    def get(self, request: Request) -> Response:
        """What you or an agent of yours deleted in the last 30 days; the newest comes first."""
        deletions = list_trash(signed_in(request), timezone.now())
        answer: Response = self.paginated(deletions, request, TrashAnswer)
        return answer


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
        return answer_with(restore_document(actor_of(request), document_id))
