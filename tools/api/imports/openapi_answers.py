"""What an import of an OpenAPI document answers, and its preview."""

from typing import Any

from rest_framework import serializers

from config.base.rest.examples import answers_like
from tools.api.imports import examples
from tools.models import Tool
from tools.openapi.planning import ImportPlan, Item, Step
from tools.openapi.services import Imported
from tools.schemas import JSON


class ProblemSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(
        help_text="body_unsupported, method_unsupported, parameter_unsupported, reference_broken, "
        "reference_external, schema_unusable, secret_missing, security_unsupported, "
        "server_unusable, too_large, address_refused, or why the secret can't be sent there."
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


class SkippedSerializer(serializers.Serializer[Any]):
    operation = serializers.CharField()
    problem = ProblemSerializer()


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


@answers_like(a_preview=examples.OPENAPI_PREVIEW, an_import=examples.OPENAPI_IMPORTED)
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
    skipped = SkippedSerializer(
        many=True,
        help_text="Operations that were not imported because they can't be; empty in a preview, "
        "which tells it of each operation.",
    )


_NOTHING: JSON = {"created": [], "updated": [], "unchanged": [], "gone": [], "skipped": []}


def preview_answer(plan: ImportPlan) -> JSON:
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
    operation = item.operation
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
        "problem": _problem(item),
    }


def _problem(item: Item) -> JSON | None:
    problem = item.problem
    return {"code": problem.code, "message": problem.message} if problem else None


def import_answer(imported: Imported) -> JSON:
    return {
        "preview": False,
        "name": imported.name,
        "security_schemes": [],
        "operations": [],
        "created": [_tool(tool) for tool in imported.created],
        "updated": [_tool(one.tool, one.fields) for one in imported.updated],
        "unchanged": [_tool(tool) for tool in imported.unchanged],
        "gone": [_tool(tool) for tool in imported.gone],
        "skipped": [
            {"operation": item.operation.key, "problem": _problem(item)}
            for item in imported.skipped
        ],
    }


def _tool(tool: Tool, changes: tuple[str, ...] = ()) -> JSON:
    return {
        "id": tool.pk,
        "slug": tool.slug,
        "operation": tool.config["source"]["operation"],
        "enabled": tool.enabled,
        "changes": changes,
    }
