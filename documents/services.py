"""Changing documents: tool, API and pages all come here.

Each change is one transaction with its version row and its audit event, on a locked row.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict, InvalidInput
from documents.enums import Change, DocumentType, Provenance
from documents.models import Document, DocumentVersion
from documents.selectors import document_missing, find_document, find_in_trash, key_of
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
from documents.versions import next_document, purge_trash, write_version

OWN = (Provenance.OWN,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a tool's config says; the API and the pages use the defaults."""

    content_length: int = MAX_CONTENT_LENGTH
    summary_length: int = SUMMARY_LENGTH


class StaleRevision(Conflict):
    """The document has changed since you read it."""

    code = "stale_revision"

    def __init__(self, current: int) -> None:
        message = _("The document has changed since you read it: it is at revision %(current)s.")
        super().__init__(message % {"current": current}, revision=current)


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
    _keep(actor, document, Change.CREATED, ["title", "content", "summary", "tags", "type"])
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
    document = _lock(actor, document_id, expected_revision)
    changed = _apply(document, changes, limits)
    if not changed:
        return document
    document.provenance = merge_provenance(document.provenance, provenance)
    document.tags_text = tags_as_text(document.tags)
    document.revision += 1
    document.updated_at = timezone.now()
    document.save(force_update=True)
    _keep(actor, document, Change.UPDATED, changed)
    return document


@transaction.atomic
def delete_document(
    actor: Actor, document_id: uuid.UUID, *, expected_revision: int | None = None
) -> int:
    """The revision of the deletion. The last text stays in a version, for the trash.

    Raises `NotFound`, `StaleRevision`.
    """
    document = _lock(actor, document_id, expected_revision)
    Document.objects.filter(pk=document.pk).delete()
    document.revision += 1
    _keep(actor, document, Change.DELETED, [])
    return document.revision


@transaction.atomic
def restore_document(actor: Actor, document_id: uuid.UUID | str) -> Document:
    """Out of the trash: what it was when it was deleted, one revision on.

    A document that is there already is a success and stays as it is, so that whoever asks twice
    restores once. Raises `NotFound`, also for what was deleted more than 30 days ago.
    """
    key = key_of(document_id)
    _hold_history(actor, key)
    present = find_document(actor.user, key)
    if present is not None:
        return present
    now = timezone.now()
    deletion = find_in_trash(actor.user, key, now)
    if deletion is None:
        raise document_missing()
    document = next_document(deletion, now)
    document.save(force_insert=True)
    _keep(actor, document, Change.RESTORED, [])
    return document


def _hold_history(actor: Actor, document_id: uuid.UUID) -> None:
    """There is no document to lock; its oldest version is the same row for all who restore it."""
    versions = DocumentVersion.objects.for_user(actor.user).filter(document_id=document_id)
    versions.select_for_update().order_by("revision").values_list("pk").first()


def purge_old_trash() -> int:
    """Housekeeping: forget what has lain in the trash for its time; how many versions went."""
    return purge_trash(timezone.now())


def _lock(actor: Actor, document_id: uuid.UUID, expected_revision: int | None) -> Document:
    mine = Document.objects.for_user(actor.user).select_for_update()
    document = mine.filter(pk=document_id).first()
    if document is None:
        raise document_missing()
    if expected_revision is not None and expected_revision != document.revision:
        raise StaleRevision(document.revision)
    return document


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


def _keep(actor: Actor, document: Document, change: Change, changed: list[str]) -> None:
    write_version(actor, document, change, changed)
    audit.record(
        f"document.{change}",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("document", document.pk),
        metadata={"type": str(document.type), "revision": document.revision, "changed": changed},
    )
