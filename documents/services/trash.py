"""Out of the trash: back among the documents, or for ever."""

import uuid
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from config.base import audit
from config.base.actor import Actor
from documents.enums import Change
from documents.models import Document, DocumentVersion, DocumentVersionQuerySet
from documents.selectors import (
    document_missing,
    find_document,
    find_in_trash,
    get_in_trash,
    key_of,
    list_trash,
)
from documents.services.keeping import keep
from documents.versions import next_document, purge_trash


@transaction.atomic
def restore_document(actor: Actor, document_id: uuid.UUID | str) -> Document:
    """What it was when it was deleted, one revision on.

    A document that is there already is a success and stays as it is, so that whoever asks twice
    restores once. Raises `NotFound`, also for what was deleted more than 30 days ago.
    """
    key = key_of(document_id)
    _hold_histories(_versions_of(actor, key))
    present = find_document(actor.user, key)
    if present is not None:
        return present
    now = timezone.now()
    deletion = find_in_trash(actor.user, key, now)
    if deletion is None:
        raise document_missing()
    document = next_document(deletion, now)
    document.save(force_insert=True)
    keep(actor, document, Change.RESTORED, [])
    return document


@transaction.atomic
def purge_document(actor: Actor, document_id: uuid.UUID | str) -> None:
    """Delete for ever what is in the trash, all its versions included. Raises `NotFound`."""
    key = key_of(document_id)
    _hold_histories(_versions_of(actor, key))
    deletion = get_in_trash(actor.user, key, timezone.now())
    _versions_of(actor, key).delete()
    audit.record(
        "document.purged",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("document", key),
        metadata={"type": deletion.type, "revision": deletion.revision},
    )


@transaction.atomic
def empty_trash(actor: Actor, *, until: datetime | None = None) -> int:
    """Delete for ever what lies in the trash; how many documents went.

    With `until` only what was deleted by then: what the person saw when they decided.
    """
    now = timezone.now()
    deletions = list_trash(actor.user, now).filter(created_at__lte=until or now)
    mine = DocumentVersion.objects.for_user(actor.user)
    _hold_histories(mine.filter(document_id__in=deletions.values("document_id")))
    count = deletions.count()
    mine.filter(document_id__in=deletions.order_by().values("document_id")).delete()
    if count:
        audit.record(
            "document.trash_emptied",
            audit.Outcome.SUCCEEDED,
            actor=actor,
            target=("user", actor.user.pk),
            metadata={"documents": count},
        )
    return count


def purge_old_trash() -> int:
    """Housekeeping: forget some of what has lain there for its time; how many versions went."""
    return purge_trash(timezone.now())


def _versions_of(actor: Actor, document_id: uuid.UUID) -> DocumentVersionQuerySet:
    return DocumentVersion.objects.for_user(actor.user).filter(document_id=document_id)


def _hold_histories(versions: DocumentVersionQuerySet) -> None:
    """There is no document to lock; its versions are the same rows for all who want it."""
    list(versions.select_for_update().order_by("document_id", "revision").values_list("pk"))
