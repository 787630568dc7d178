"""Importing an OpenAPI document: what it would make, and making it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from config.base.rest.examples import asked_like
from config.base.rest.idempotency import find_first_answer, idempotent
from config.base.rest.parameters import MAX_NAMED
from tools.api.imports import examples
from tools.api.imports.base import (
    ASKING_CODES,
    ImportSerializer,
    ImportView,
    checked,
    errors_at,
    importing_actor,
    naming_fields,
)
from tools.api.imports.openapi_answers import (
    ImportedOpenApiSerializer,
    import_answer,
    preview_answer,
)
from tools.configs.outside import MAX_LIST, check_write_domains
from tools.openapi.choices import Choices
from tools.openapi.document import Document, read_document
from tools.openapi.errors import ChoiceInvalid, SchemeUnknown
from tools.openapi.limits import MAX_CHOSEN, MAX_DOCUMENT_BYTES
from tools.openapi.services import import_openapi, preview_import
from tools.openapi.source import fetch_document
from tools.schemas import JSON


@asked_like(preview=examples.ASK_OPENAPI_PREVIEW, import_two_operations=examples.ASK_OPENAPI)
class ImportOpenApiSerializer(ImportSerializer):
    document = serializers.CharField(
        required=False,
        max_length=MAX_DOCUMENT_BYTES,
        trim_whitespace=False,
        help_text="The OpenAPI 3 document itself, JSON or YAML. Give this or `url`; what is too "
        "large for a request can be fetched.",
    )
    url = serializers.CharField(
        required=False, max_length=2000, help_text="Where the document is fetched from."
    )
    preview = serializers.BooleanField(
        required=False, default=False, help_text="Only say what would be made: nothing is changed."
    )
    operations = serializers.ListField(
        child=serializers.CharField(max_length=1100),
        required=False,
        max_length=MAX_CHOSEN,
        help_text="Which to import, as a preview names them (`GET /pets/{id}`); left out: all that "
        "can be imported.",
    )
    name = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="By which the next import finds these tools again; the document's title if it is "
        "left out.",
    )
    prefix = serializers.RegexField(
        r"\A[a-z0-9_]*\Z",
        required=False,
        default="",
        allow_blank=True,
        max_length=20,
        help_text="What the slugs of new tools begin with.",
    )
    base_url = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=2000,
        help_text="Instead of the document's servers.",
    )
    secrets = serializers.DictField(
        child=serializers.CharField(max_length=50),
        required=False,
        default=dict,
        help_text="Name of a security scheme of the document to name of a secret of the console.",
    )
    write_domains = serializers.ListField(
        child=serializers.CharField(max_length=260),
        required=False,
        default=list,
        max_length=MAX_LIST,
        help_text="Hosts to which a write counts as reversible (L2), not as L3.",
    )

    def validate_write_domains(self, value: list[str]) -> list[str]:
        return checked(check_write_domains, value)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("document" in attrs) == ("url" in attrs):
            raise serializers.ValidationError(
                {"document": [serializers.ErrorDetail(_("Give this or a URL."), "required")]}
            )
        return attrs


class ImportOpenApiView(ImportView):
    error_codes = {
        400: [
            *("openapi_invalid", "openapi_not_fetched", "openapi_not_importable"),
            *("openapi_too_large", "openapi_version", "security_scheme_unknown", "required"),
            *("unknown_field", "invalid", *ASKING_CODES),
        ],
        409: ["slug_taken"],
        422: ["idempotency_key_reused"],
    }

    @extend_schema(
        summary="Import tools from an OpenAPI document",
        request=ImportOpenApiSerializer,
        responses=ImportedOpenApiSerializer,
    )
    def post(self, request: Request) -> Response:
        """One tool for each of the `operations`, all of them or none. Without `operations`, one for
        each that can be imported; what can't be is told in `skipped`, each with its problem. New
        tools are off until they have been looked at, unless `enabled` is true. Importing a document
        again changes the tools that are there instead of doubling them. Needs the permissions to
        add and to change tools."""
        body = ImportOpenApiSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        asked: JSON = body.validated_data
        first = None if asked["preview"] else find_first_answer(request)
        if first is not None:
            return first
        choices = _choices(asked)
        # Before the transaction of a key: it may wait for a network.
        with naming_fields():
            document = _document(asked)
        with _naming_choices(asked.get("operations")):
            if asked["preview"]:
                return Response(
                    preview_answer(preview_import(importing_actor(request), document, choices))
                )
            return self._import(request, document, choices, asked.get("operations"))

    @idempotent
    def _import(
        self, request: Request, document: Document, choices: Choices, operations: list[str] | None
    ) -> Response:
        return Response(
            import_answer(import_openapi(importing_actor(request), document, choices, operations))
        )


@contextmanager
def _naming_choices(operations: list[str] | None) -> Iterator[None]:
    """Each that was wrong, where it was chosen."""
    try:
        yield
    except SchemeUnknown as error:
        told = {name: [ErrorDetail(why, error.code)] for name, why in _wrong(error, "secrets")}
        raise ValidationError({"secrets": told}) from error
    except ChoiceInvalid as error:
        wrong = dict(_wrong(error, "operations"))
        if operations and wrong:
            raise errors_at("operations", operations, wrong, error.code) from error
        raise ValidationError({"operations": [ErrorDetail(error.message, error.code)]}) from error


def _wrong(error: ChoiceInvalid, field: str) -> list[tuple[str, str]]:
    return list(error.details.get(field, {}).items())[:MAX_NAMED]


def _choices(asked: JSON) -> Choices:
    return Choices(
        document=asked["name"],
        prefix=asked["prefix"],
        base_url=asked["base_url"],
        secrets=asked["secrets"],
        write_domains=tuple(asked["write_domains"]),
        allowed_private_networks=tuple(asked["allowed_private_networks"]),
        enabled=asked["enabled"],
    )


def _document(asked: JSON) -> Document:
    if "url" in asked:
        return fetch_document(asked["url"], asked["allowed_private_networks"])
    return read_document(asked["document"].encode("utf-8", "replace"))
