"""create, update and delete: planned from reads, executed through the services."""

import uuid
from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from config.base.provenance import Provenance
from documents import services
from documents.enums import DocumentType
from documents.models import Document
from documents.selectors import get_document
from documents.services import Limits, StaleRevision
from documents.texts import clean_content, clean_summary, clean_tags, clean_title
from documents.tool.config import DocumentConfig
from documents.tool.inputs import CHANGEABLE, DocumentInput
from documents.tool.outputs import Created, Deleted, Updated
from documents.tool.previews import preview_update
from documents.tool.reading import provenance_of
from tools.errors import ToolFailure
from tools.schemas import JSON, Plan, Preview, Target, ToolContext, ToolResult


def limits_of(config: DocumentConfig) -> Limits:
    return Limits(
        content_length=config.max_content_length, summary_length=config.default_summary_length
    )


def written_provenance(context: ToolContext) -> Iterable[str]:
    """What a write takes in: all that stood in the run's context; else the person's own words."""
    return context.provenance or (Provenance.OWN.value,)


# --- create ---


def plan_create(
    arguments: DocumentInput, config: DocumentConfig, _context: ToolContext
) -> dict[str, Any]:
    content = clean_content(arguments.content or "", config.max_content_length)
    title = clean_title(arguments.title or "")
    clean_summary(arguments.summary or "")
    clean_tags(arguments.tags or ())
    memory = (arguments.type or DocumentType.MEMORY) == DocumentType.MEMORY
    heading = _("Save the memory “%(title)s”") if memory else _("Save the document “%(title)s”")
    return {
        "title": heading % {"title": title},
        "scope": _("your documents"),
        "preview": Preview("text", content),
        "editable": CHANGEABLE,
    }


def create(
    arguments: DocumentInput, config: DocumentConfig, context: ToolContext, _plan: Plan
) -> ToolResult:
    document = services.create_document(
        context.actor,
        title=arguments.title or "",
        content=arguments.content or "",
        type=arguments.type or DocumentType.MEMORY,
        summary=arguments.summary or "",
        tags=arguments.tags or (),
        provenance=written_provenance(context),
        limits=limits_of(config),
    )
    created = Created(
        id=str(document.pk),
        title=document.title,
        type=document.type,
        revision=document.revision,
        created_at=document.created_at,
    )
    receipt = _receipt("create", document.pk, document.revision)
    return ToolResult(data=created.model_dump(mode="json"), receipt=receipt)


# --- update ---


def plan_update(
    arguments: DocumentInput, config: DocumentConfig, context: ToolContext
) -> dict[str, Any]:
    document = get_document(context.actor.user, arguments.id or "")
    _judge_revision(document, arguments, context)
    new = services.cleaned_changes(document, arguments.changes(), limits_of(config))
    return {
        "title": _("Change the document “%(title)s”") % {"title": document.title},
        "scope": _("your documents"),
        "targets": (_target(document),),
        "preview": preview_update(document, new),
        "editable": tuple(arguments.changes()),
    }


def _judge_revision(document: Document, arguments: DocumentInput, context: ToolContext) -> None:
    expected = arguments.expected_revision
    if expected is None:
        if context.actor.is_agent and arguments.content is not None:
            message = _("A change of the content needs expected_revision: read the document first.")
            raise ToolFailure(message, code="invalid")
    elif expected != document.revision:
        raise StaleRevision(document.revision)


def update(
    arguments: DocumentInput, config: DocumentConfig, context: ToolContext, plan: Plan
) -> ToolResult:
    key, planned = _planned_target(plan)
    document = services.update_document(
        context.actor,
        key,
        expected_revision=planned,
        provenance=written_provenance(context),
        limits=limits_of(config),
        **arguments.changes(),
    )
    updated = Updated(
        id=str(document.pk),
        title=document.title,
        revision=document.revision,
        updated_at=document.updated_at,
        unchanged=document.revision == planned,
    )
    return ToolResult(
        data=updated.model_dump(mode="json"),
        receipt=_receipt("update", document.pk, document.revision),
        provenance=provenance_of(document),
    )


# --- delete ---


def plan_delete(
    arguments: DocumentInput, _config: DocumentConfig, context: ToolContext
) -> dict[str, Any]:
    document = get_document(context.actor.user, arguments.id or "")
    if arguments.expected_revision not in (None, document.revision):
        raise StaleRevision(document.revision)
    return {
        "title": _("Delete the document “%(title)s”") % {"title": document.title},
        "scope": _("your documents"),
        "targets": (_target(document),),
        "preview": Preview("text", document.content),
    }


def delete(
    _arguments: DocumentInput, _config: DocumentConfig, context: ToolContext, plan: Plan
) -> ToolResult:
    key, planned = _planned_target(plan)
    revision = services.delete_document(context.actor, key, expected_revision=planned)
    deleted = Deleted(id=str(key), deleted=True)
    return ToolResult(
        data=deleted.model_dump(mode="json"), receipt=_receipt("delete", key, revision)
    )


def _target(document: Document) -> Target:
    return Target("document", str(document.pk), document.revision, document.title)


def _planned_target(plan: Plan) -> tuple[uuid.UUID, int]:
    """What was planned, at the version it had then, is what is changed."""
    target = plan.targets[0]
    return uuid.UUID(target.id), int(target.version or 0)


def _receipt(action: str, key: uuid.UUID, revision: int) -> JSON:
    return {"action": action, "id": str(key), "revision": revision}
