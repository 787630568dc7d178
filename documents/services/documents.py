"""Making, changing and deleting a document."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from config.base.actor import Actor
from config.base.errors import InvalidInput
from config.base.provenance import Provenance
from documents.enums import Change, DocumentType
from documents.models import Document
from documents.services.keeping import keep, lock_document, save_next
from documents.summary import make_summary
from documents.texts import (
    MAX_CONTENT_LENGTH,
    SUMMARY_LENGTH,
    clean_content,
    clean_summary,
    clean_tags,
    clean_title,
    clean_type,
    merge_provenance,
    tags_as_text,
)

OWN = (Provenance.OWN,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a tool's config says; the API and the pages use the defaults."""

    content_length: int = MAX_CONTENT_LENGTH
    summary_length: int = SUMMARY_LENGTH


@transaction.atomic
def create_document(
    actor: Actor,
    *,
    title: str,
    content: str,
    type: str = DocumentType.DOCUMENT,  # noqa: A002  (the field's name)
    summary: str = "",
    tags: str | Iterable[str] = (),
    provenance: Iterable[str] = OWN,
    limits: Limits = Limits(),
) -> Document:
    """Raises `InvalidInput`: empty, too_long, invalid."""
    content = clean_content(content, limits.content_length)
    kind = clean_type(type)
    now = timezone.now()
    document = Document(
        owner=actor.user,
        conversation_id=actor.conversation_id if kind is DocumentType.MEMORY else None,
        type=kind,
        title=clean_title(title),
        content=content,
        summary=clean_summary(summary) or make_summary(content, limits.summary_length),
        tags=clean_tags(tags),
        provenance=merge_provenance([], provenance),
        created_at=now,
        updated_at=now,
    )
    document.tags_text = tags_as_text(document.tags)
    document.save(force_insert=True)
    keep(actor, document, Change.CREATED, ["title", "content", "summary", "tags", "type"])
    return document


@transaction.atomic
def update_document(
    actor: Actor,
    document_id: uuid.UUID,
    *,
    expected_revision: int | None = None,
    provenance: Iterable[str] = OWN,
    limits: Limits = Limits(),
    **changes: Any,
) -> Document:
    """Change what is given of title, content, summary, tags and type.

    What is as it should be already is a success: no new revision, no version, no audit event.
    Raises `NotFound`, `StaleRevision`, `InvalidInput`.
    """
    document = lock_document(actor, document_id, expected_revision)
    changed = _apply(document, changes, limits)
    if not changed:
        return document
    document.provenance = merge_provenance(document.provenance, provenance)
    save_next(document)
    keep(actor, document, Change.UPDATED, changed)
    return document


@transaction.atomic
def delete_document(
    actor: Actor, document_id: uuid.UUID, *, expected_revision: int | None = None
) -> int:
    """The revision of the deletion. The last text stays in a version, for the trash.

    Raises `NotFound`, `StaleRevision`.
    """
    document = lock_document(actor, document_id, expected_revision)
    Document.objects.filter(pk=document.pk).delete()
    document.revision += 1
    keep(actor, document, Change.DELETED, [])
    return document.revision


def _apply(document: Document, changes: dict[str, Any], limits: Limits) -> list[str]:
    """Put the changes on the document; the names of the fields that differ now."""
    new = cleaned_changes(document, changes, limits)
    changed = [name for name, value in new.items() if getattr(document, name) != value]
    for name in changed:
        setattr(document, name, new[name])
    return changed


def cleaned_changes(document: Document, changes: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """The changes as they would be stored; a new content without a summary gets one made anew.

    A text that is longer than the limit already may be saved again, but not grow.
    Raises `InvalidInput`.
    """
    unknown = changes.keys() - {"title", "content", "summary", "tags", "type"}
    if unknown:
        raise InvalidInput(f"A document has no {', '.join(sorted(unknown))}.")
    new: dict[str, Any] = {}
    if "title" in changes:
        new["title"] = clean_title(changes["title"])
    if "content" in changes:
        longest = max(limits.content_length, len(document.content))
        new["content"] = clean_content(changes["content"], longest)
    if "tags" in changes:
        new["tags"] = clean_tags(changes["tags"])
    if "type" in changes:
        new["type"] = clean_type(changes["type"])
    summary = clean_summary(changes.get("summary", ""))
    content = new.get("content", document.content)
    if summary:
        new["summary"] = summary
    elif "summary" in changes or content != document.content:
        new["summary"] = make_summary(content, limits.summary_length)
    return new
