"""What a document was: written with every change, kept within bounds."""

import uuid
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from config.base.actor import Actor
from config.base.batches import delete_batch
from documents.enums import Change
from documents.models import Document, DocumentVersion
from documents.texts import tags_as_text

KEPT_VERSIONS = 100
KEPT_FOR = timedelta(days=365)
TRASH_KEPT_FOR = timedelta(days=30)
TRASH_BATCH = 20  # documents that are forgotten at once, each with its versions
_COPIED = ("type", "title", "content", "summary", "tags", "provenance", "conversation_id")


def write_version(
    actor: Actor,
    document: Document,
    change: Change,
    changed_fields: list[str],
    restored_from: int | None = None,
) -> DocumentVersion:
    """Call in the transaction of the change, with the document as it is after it."""
    version = DocumentVersion.objects.create(
        document_id=document.pk,
        document_created_at=document.created_at,
        owner_id=document.owner_id,
        revision=document.revision,
        change=change,
        changed_fields=changed_fields,
        restored_from=restored_from,
        user=actor.user,
        origin=actor.origin,
        agent_id=actor.agent_id,
        run_id=actor.run_id,
        **{name: getattr(document, name) for name in _COPIED},
    )
    prune_versions(version.document_id, newest=version.revision, now=version.created_at)
    return version


def prune_versions(document_id: uuid.UUID, *, newest: int, now: datetime) -> int:
    """Drop what is beyond the last hundred or older than a year, never the newest."""
    old = Q(revision__lte=newest - KEPT_VERSIONS) | Q(created_at__lt=now - KEPT_FOR)
    versions = DocumentVersion.objects.filter(old, document_id=document_id, revision__lt=newest)
    return versions.delete()[0]


def prune_old_versions(now: datetime) -> int:
    """What `prune_versions` does at a change, for documents that nobody changes: a batch of it."""
    later = DocumentVersion.objects.filter(
        document_id=OuterRef("document_id"), revision__gt=OuterRef("revision")
    )
    old = DocumentVersion.objects.filter(Exists(later), created_at__lt=now - KEPT_FOR)
    return delete_batch(old)


def next_document(version: DocumentVersion, now: datetime) -> Document:
    """The document as it was then, one revision on; not saved."""
    return Document(
        id=version.document_id,
        owner_id=version.owner_id,
        revision=version.revision + 1,
        tags_text=tags_as_text(version.tags),
        created_at=version.document_created_at,
        updated_at=now,
        **{name: getattr(version, name) for name in _COPIED},
    )


@transaction.atomic
def purge_trash(now: datetime) -> int:
    """Forget some of what was deleted more than 30 days ago; how many versions they were.

    A document goes with all of them or not at all: without its deletion it would be no trash.
    """
    long_gone = DocumentVersion.objects.last_deletions().filter(created_at__lt=now - TRASH_KEPT_FOR)
    some = list(long_gone.values_list("document_id", flat=True)[:TRASH_BATCH])
    histories = DocumentVersion.objects.filter(document_id__in=some)
    # In the order in which whoever restores one locks its versions.
    ordered = histories.select_for_update().order_by("document_id", "revision")
    list(ordered.values_list("pk"))
    still = list(long_gone.filter(document_id__in=some).values_list("document_id", flat=True))
    return histories.filter(document_id__in=still).delete()[0]
