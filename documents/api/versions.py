"""`/api/agent-documents/{id}/versions/`: what a document was, what changed, and the way back."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.people import person, signed_in
from config.base.rest.idempotency import idempotent
from config.base.rest.pagination import PAGE, PaginatedView
from documents import services
from documents.api.etags import require_match, tag_of_revision
from documents.api.serializers import DiffAnswer, DocumentAnswer, VersionAnswer, VersionItem
from documents.api.views import ID, IF_MATCH, SCOPES, answer_with, late
from documents.diffing import unified_diff
from documents.models import DocumentVersion
from documents.selectors import get_document, get_version, list_versions_with_length
from documents.services import StaleRevision
from documents.versus import FACTS


def _revision(name: str, description: str) -> OpenApiParameter:
    number = {"type": "integer", "minimum": 1}
    return OpenApiParameter(name, number, OpenApiParameter.PATH, description=description)


REVISION = _revision("revision", "The revision that the version holds")
_DIFF_EXAMPLE = OpenApiExample(
    "One line changed",
    value={
        "before": 1,
        "after": 2,
        "changed": [{"name": "title", "before": "Minutes", "after": "Minutes of May"}],
        "added": 1,
        "removed": 1,
        "unified": "--- r1\n+++ r2\n@@ -1 +1 @@\n-We agreed.\n+We agreed to meet.",
    },
    response_only=True,
)


class Versions(PaginatedView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}

    @extend_schema(
        summary="List the versions of a document",
        operation_id="documents_versions_list",
        parameters=[
            ID,
            *PAGE,
        ],
        responses=VersionItem(many=True),
    )
    def get(self, request: Request, document_id: str) -> Response:
        """Newest first, without contents: who changed what, when and where.

        The last hundred of the past year are kept.
        """
        user = signed_in(request)
        document = get_document(user, document_id)
        versions = list_versions_with_length(user, document.pk)
        answer: Response = self.paginated(versions, request, VersionItem)
        return answer


class OneVersion(APIView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}

    @extend_schema(
        summary="Read a version",
        operation_id="documents_versions_read",
        parameters=[ID, REVISION],
        responses=VersionAnswer,
    )
    def get(self, request: Request, document_id: str, revision: int) -> Response:
        """What the document said at that revision. It never changes, so its ETag is for ever."""
        response = Response(VersionAnswer(_version(request, document_id, revision)).data)
        response["ETag"] = tag_of_revision(revision)
        return response


class RestoreVersion(APIView):
    scopes = SCOPES
    takes_idempotency_key = True
    error_codes = {404: ["not_found"], 412: ["precondition_failed"]}

    @extend_schema(
        summary="Restore a version",
        operation_id="documents_versions_restore",
        parameters=[ID, REVISION, IF_MATCH],
        request=None,
        responses=DocumentAnswer,
    )
    @idempotent
    def post(self, request: Request, document_id: str, revision: int) -> Response:
        """Makes a new version that says what that one said; history is never rewritten.

        A document that says so already stays as it is.
        """
        document = get_document(signed_in(request), document_id)
        matched = require_match(request, document)
        try:
            restored = services.restore_version(
                person(request), document.pk, revision, expected_revision=matched
            )
        except StaleRevision as error:
            raise late(error) from error
        return answer_with(restored)


class Diff(APIView):
    scopes = SCOPES
    error_codes = {404: ["not_found"]}

    @extend_schema(
        summary="Compare two versions",
        operation_id="documents_versions_diff",
        parameters=[
            ID,
            _revision("before", "A revision"),
            _revision("after", "Another one"),
        ],
        responses=DiffAnswer,
        examples=[_DIFF_EXAMPLE],
    )
    def get(self, request: Request, document_id: str, before: int, after: int) -> Response:
        """Either may be the older one. `unified` is a unified diff of the contents."""
        left, right = (_version(request, document_id, number) for number in (before, after))
        return Response(DiffAnswer(_differences(left, right)).data)


def _version(request: Request, document_id: str, revision: int) -> DocumentVersion:
    user = signed_in(request)
    return get_version(user, get_document(user, document_id).pk, revision)


def _differences(left: DocumentVersion, right: DocumentVersion) -> dict[str, Any]:
    names = f"r{left.revision}", f"r{right.revision}"
    unified = unified_diff(left.content.splitlines(), right.content.splitlines(), names)
    lines = unified.splitlines()[2:]  # after the two that name the sides
    fields = {name: (getattr(left, name), getattr(right, name)) for name in FACTS}
    return {
        "before": left.revision,
        "after": right.revision,
        "changed": [
            {"name": name, "before": before, "after": after}
            for name, (before, after) in fields.items()
            if before != after
        ],
        "added": sum(line.startswith("+") for line in lines),
        "removed": sum(line.startswith("-") for line in lines),
        "unified": unified,
    }
