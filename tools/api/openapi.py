"""Importing an OpenAPI document: what it would make, and making it."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from config.base.actor import Actor, Origin
from config.base.models import Scope
from config.base.people import signed_in
from config.base.rest.examples import answers_like, asked_like
from config.base.rest.idempotency import idempotent
from config.base.rest.serializers import StrictSerializer
from tools.api import openapi_examples as examples
from tools.api.rows import OPERATORS
from tools.models import Tool
from tools.openapi.choices import Choices
from tools.openapi.document import Document, read_document
from tools.openapi.limits import MAX_CHOSEN, MAX_DOCUMENT_BYTES
from tools.openapi.planning import ImportPlan, Item, Step
from tools.openapi.services import Imported, import_openapi, preview_import
from tools.openapi.source import fetch_document
from tools.preview import direct_actor
from tools.schemas import JSON


@asked_like(preview=examples.ASK_PREVIEW, import_two_operations=examples.ASK_IMPORT)
class ImportOpenApiSerializer(StrictSerializer):
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
        max_length=500,
        help_text="Hosts to which a write counts as reversible (L2), not as L3.",
    )
    allowed_private_networks = serializers.ListField(
        child=serializers.CharField(max_length=60),
        required=False,
        default=list,
        max_length=500,
        help_text="Networks that are not public and may be reached on purpose.",
    )
    enabled = serializers.BooleanField(
        required=False,
        default=False,
        help_text="Whether new tools are switched on; those that are there stay as they are.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("document" in attrs) == ("url" in attrs):
            raise serializers.ValidationError(
                {"document": [serializers.ErrorDetail(_("Give this or a URL."), "required")]}
            )
        return attrs


class ProblemSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(
        help_text="body_unsupported, method_unsupported, parameter_unsupported, reference_broken, "
        "reference_external, schema_unusable, secret_missing, security_unsupported, "
        "server_unusable, too_large, or why the secret can't be sent there."
    )
    message = serializers.CharField()


class OperationSerializer(serializers.Serializer[Any]):
    operation = serializers.CharField(help_text="Method and path.")
    summary = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    deprecated = serializers.BooleanField()
    base_url = serializers.CharField(help_text="Where it is called; empty with a problem.")
    security = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Schemes that are needed together, each list enough by itself.",
    )
    step = serializers.ChoiceField(
        [step.value for step in Step], help_text="What an import would do with it."
    )
    slug = serializers.CharField(help_text="Of the tool that is there, or would be made.")
    tool_id = serializers.UUIDField(allow_null=True, help_text="Null: none is there yet.")
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of its config that would change."
    )
    problem = ProblemSerializer(allow_null=True, help_text="Why it can't be imported.")


class SecuritySchemeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    kind = serializers.CharField()
    description = serializers.CharField()
    usable = serializers.BooleanField()
    secret = serializers.CharField(allow_null=True, help_text="Chosen now, or by an import before.")


class ImportedToolSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    operation = serializers.CharField()
    enabled = serializers.BooleanField()
    changes = serializers.ListField(
        child=serializers.CharField(), help_text="Keys of its config that were changed."
    )


@answers_like(a_preview=examples.PREVIEW, an_import=examples.IMPORTED)
class ImportedOpenApiSerializer(serializers.Serializer[Any]):
    preview = serializers.BooleanField()
    name = serializers.CharField()
    security_schemes = SecuritySchemeSerializer(many=True)
    operations = OperationSerializer(many=True, help_text="All of the document; of a preview only.")
    created = ImportedToolSerializer(many=True)
    updated = ImportedToolSerializer(many=True)
    unchanged = ImportedToolSerializer(many=True)
    gone = ImportedToolSerializer(
        many=True,
        help_text="Tools of earlier imports whose operation is gone; they stay as they are.",
    )


class ImportOpenApiView(APIView):
    permission_classes = OPERATORS
    model_permissions = {"POST": "tools.add_tool"}
    scope = Scope.TOOLS_MANAGE
    takes_idempotency_key = True
    error_codes = {
        400: [
            *("openapi_invalid", "openapi_not_fetched", "openapi_not_importable"),
            *("openapi_too_large", "openapi_version", "required", "unknown_field", "invalid"),
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
        """One tool for each operation, all of them or none. Importing a document again changes
        the tools that are there instead of doubling them. Needs the permissions to add and to
        change tools."""
        body = ImportOpenApiSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        asked: JSON = body.validated_data
        choices = choices_of(asked)
        # Before the transaction of a key: it may wait for a network.
        document = _document(asked)
        if asked["preview"]:
            return Response(_preview(preview_import(_actor(request), document, choices)))
        return self._import(request, document, choices, asked.get("operations"))

    @idempotent
    def _import(
        self, request: Request, document: Document, choices: Choices, operations: list[str] | None
    ) -> Response:
        return Response(_done(import_openapi(_actor(request), document, choices, operations)))


def _actor(request: Request) -> Actor:
    return direct_actor(signed_in(request), Origin.API)


def choices_of(asked: JSON) -> Choices:
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


# --- Answers ---

_NOTHING: JSON = {"created": [], "updated": [], "unchanged": [], "gone": []}


def _preview(plan: ImportPlan) -> JSON:
    return {
        **_NOTHING,
        "preview": True,
        "name": plan.name,
        "security_schemes": [
            {
                "name": scheme.name,
                "kind": scheme.kind,
                "description": scheme.description,
                "usable": scheme.credential is not None,
                "secret": plan.secrets.get(scheme.name),
            }
            for scheme in plan.schemes.values()
        ],
        "operations": [_operation(item) for item in plan.items],
        "gone": [_tool(tool) for tool in plan.gone],
    }


def _operation(item: Item) -> JSON:
    operation, problem = item.operation, item.problem
    return {
        "operation": operation.key,
        "summary": operation.summary,
        "tags": operation.tags,
        "deprecated": operation.deprecated,
        "base_url": item.config.get("base_url", ""),
        "security": operation.alternatives,
        "step": item.step.value,
        "slug": item.slug,
        "tool_id": item.tool.pk if item.tool else None,
        "changes": item.fields,
        "problem": {"code": problem.code, "message": problem.message} if problem else None,
    }


def _done(imported: Imported) -> JSON:
    return {
        "preview": False,
        "name": imported.name,
        "security_schemes": [],
        "operations": [],
        "created": [_tool(tool) for tool in imported.created],
        "updated": [_tool(one.tool, one.fields) for one in imported.updated],
        "unchanged": [_tool(tool) for tool in imported.unchanged],
        "gone": [_tool(tool) for tool in imported.gone],
    }


def _tool(tool: Tool, changes: tuple[str, ...] = ()) -> JSON:
    return {
        "id": tool.pk,
        "slug": tool.slug,
        "operation": tool.config["source"]["operation"],
        "enabled": tool.enabled,
        "changes": changes,
    }
