"""`/api/knowledge/resources/`: files, what was read in them, and the files themselves."""

import hashlib
from typing import Any
from uuid import UUID

from django.http import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.digests import canonical_digest
from config.base.errors import Conflict
from config.base.people import person, signed_in
from config.base.rest.idempotency import find_answer, idempotent, keep_answer, key_of
from config.base.rest.pagination import PAGE, PaginatedView
from documents.enums import ResourceState
from documents.knowledge import services
from documents.knowledge.api import examples
from documents.knowledge.api.serializers import PassageAnswer, ResourceAnswer, UploadBody
from documents.knowledge.api.spaces import SCOPE
from documents.knowledge.downloads import download_response
from documents.knowledge.selectors import get_resource, get_space, list_passages, list_resources
from documents.knowledge.uploads import UploadParser, chunks_of
from documents.models import Resource

RESOURCE_ID = OpenApiParameter("resource_id", OpenApiTypes.UUID, OpenApiParameter.PATH)
_REFUSALS = [
    *("unsupported_type", "mismatched_type", "encrypted", "broken", "zip_bomb", "empty"),
    *("infected", "scan_failed", "unknown_field", "invalid", "too_long"),
]


class Resources(PaginatedView):
    scope = SCOPE
    takes_idempotency_key = True
    parser_classes = [UploadParser]
    error_codes = {
        400: _REFUSALS,
        403: ["role_missing"],
        404: ["not_found"],
        409: ["already_there"],
        413: ["too_large"],
    }

    @extend_schema(
        summary="List files",
        operation_id="knowledge_resources_list",
        parameters=[
            OpenApiParameter("space", OpenApiTypes.UUID),
            OpenApiParameter("q", str, description="Words of the title or the file's name"),
            OpenApiParameter("state", str, enum=ResourceState.values),
            *PAGE,
        ],
        responses=ResourceAnswer(many=True),
    )
    def get(self, request: Request) -> Response:
        """Of the spaces that you may read at this moment; the newest comes first."""
        query = request.query_params
        user = signed_in(request)
        space = get_space(user, query["space"]) if "space" in query else None
        state = query.get("state", "")
        if "state" in query and state not in ResourceState.values:
            names = ", ".join(ResourceState.values)
            raise ValidationError({"state": _("One of: %(names)s.") % {"names": names}})
        files = list_resources(
            user, space_id=space.pk if space else None, q=query.get("q", ""), state=state
        )
        answer: Response = self.paginated(files, request, ResourceAnswer)
        return answer

    @extend_schema(
        summary="Upload a file",
        operation_id="knowledge_resources_upload",
        request={"multipart/form-data": UploadBody},
        responses={201: ResourceAnswer},
        examples=[
            OpenApiExample(
                "a PDF",
                value=examples.UPLOAD,
                request_only=True,
                media_type="multipart/form-data",
            ),
            OpenApiExample("a PDF", value=examples.RESOURCE, response_only=True),
        ],
    )
    def post(self, request: Request) -> Response:
        """For editors and managers of the space. PDF, DOCX, PPTX, XLSX, HTML, Markdown or text, by
        what is in it; its name has to agree. A job reads it: until its state is `ready` nothing
        is found in it, and with `failed` it says why.
        """
        body = _uploaded(request)
        file = body["file"]
        user, key = signed_in(request), key_of(request)
        digest = _digest_of(request, body) if key else ""
        if key and (first := find_answer(user, key, digest)):
            return first

        def keep(resource: Resource) -> None:
            if key:
                keep_answer(user, key, digest, _answer(resource, 201))

        try:
            resource = services.upload_resource(
                person(request),
                body["space"],
                file_name=file.name or "",
                chunks=chunks_of(file),
                size_bytes=file.size,
                title=body.get("title", ""),
                also=keep,
            )
        except Conflict:  # of a twin that committed first: its answer is ours
            first = find_answer(user, key, digest) if key else None
            if first is None:
                raise
            return first
        return _answer(resource, 201)


class OneResource(APIView):
    scope = SCOPE
    error_codes = {403: ["role_missing"], 404: ["not_found"]}

    @extend_schema(
        summary="Read about a file",
        operation_id="knowledge_resources_read",
        parameters=[RESOURCE_ID],
        responses=ResourceAnswer,
    )
    def get(self, request: Request, resource_id: UUID) -> Response:
        """What it is, and how far it has been read."""
        return _answer(get_resource(signed_in(request), resource_id))

    @extend_schema(
        summary="Delete a file",
        operation_id="knowledge_resources_delete",
        parameters=[RESOURCE_ID],
        responses={204: None},
    )
    def delete(self, request: Request, resource_id: UUID) -> Response:
        """With what was read in it, for good. For editors and managers of its space."""
        services.delete_resource(person(request), resource_id)
        return Response(status=204)


class Reread(APIView):
    scope = SCOPE
    takes_idempotency_key = True
    error_codes = {403: ["role_missing"], 404: ["not_found"], 409: ["still_reading"]}

    @extend_schema(
        summary="Read a file anew",
        operation_id="knowledge_resources_reread",
        parameters=[RESOURCE_ID],
        request=None,
        responses=ResourceAnswer,
    )
    @idempotent
    def post(self, request: Request, resource_id: UUID) -> Response:
        """After it failed, or when reading has become better. Until then nothing is found in it."""
        return _answer(services.read_again(person(request), resource_id))


class Passages(PaginatedView):
    scope = SCOPE
    error_codes = {404: ["not_found"]}

    @extend_schema(
        summary="Read what was read in a file",
        operation_id="knowledge_resources_passages",
        parameters=[RESOURCE_ID, *PAGE],
        responses=PassageAnswer(many=True),
    )
    def get(self, request: Request, resource_id: UUID) -> Response:
        """In the file's order."""
        user = signed_in(request)
        resource = get_resource(user, resource_id)
        passages = list_passages(user, resource.pk)
        answer: Response = self.paginated(passages, request, PassageAnswer)
        return answer


class Download(APIView):
    scope = SCOPE
    error_codes = {404: ["not_found"], 410: ["gone"]}

    @extend_schema(
        summary="Download a file",
        operation_id="knowledge_resources_download",
        parameters=[RESOURCE_ID],
        responses={(200, "application/octet-stream"): OpenApiTypes.BINARY},
        examples=[
            OpenApiExample(
                "a PDF",
                value="%PDF-1.7 …",
                response_only=True,
                media_type="application/octet-stream",
            )
        ],
    )
    def get(self, request: Request, resource_id: UUID) -> HttpResponseBase:
        """As an attachment. Whether you may is asked now; that you did is recorded."""
        resource = get_resource(signed_in(request), resource_id)
        return download_response(request._request, person(request), resource)


def _answer(resource: Resource, status: int = 200) -> Response:
    return Response(ResourceAnswer(resource).data, status=status)


def _uploaded(request: Request) -> dict[str, Any]:
    """A form is taken at its word, like JSON."""
    known = set(UploadBody().fields)
    unknown = sorted(set(request.data) - known)[:20]
    if unknown:
        message = _("Unknown field.")
        raise ValidationError({name: [ErrorDetail(message, "unknown_field")] for name in unknown})
    body = UploadBody(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def _digest_of(request: Request, body: dict[str, Any]) -> str:
    """Over the file's content as well."""
    content = hashlib.sha256()
    for chunk in chunks_of(body["file"]):
        content.update(chunk)
    facts = [str(body["space"]), body.get("title", ""), body["file"].name, content.hexdigest()]
    return canonical_digest([request.method, request.path, facts])
