"""Going back to what a document was: a new version, history is never rewritten."""

import uuid

from django.db import transaction
from django.utils import timezone

from config.base.actor import Actor
from documents.enums import Change
from documents.models import Document
from documents.selectors import get_version
from documents.services.keeping import keep, lock_document, save_next
from documents.texts import merge_provenance
from documents.versions import prune_old_versions

_RESTORED = ("title", "content", "summary", "tags", "type")


@transaction.atomic
def restore_version(
    actor: Actor, document_id: uuid.UUID, revision: int, *, expected_revision: int | None = None
) -> Document:
    """The document says again what it said at `revision`; one that says so already stays.

    Raises `NotFound`, also for a version that is no longer kept; `StaleRevision`.
    """
    document = lock_document(actor, document_id, expected_revision)
    version = get_version(actor.user, document_id, revision)
    changed = [name for name in _RESTORED if getattr(document, name) != getattr(version, name)]
    if not changed:
        return document
    for name in changed:
        setattr(document, name, getattr(version, name))
    document.provenance = merge_provenance(document.provenance, version.provenance)
    save_next(document)
    keep(actor, document, Change.RESTORED, changed, restored_from=revision)
    return document


def purge_old_versions() -> int:
    """Housekeeping: forget a batch of versions past their time; how many."""
    return prune_old_versions(timezone.now())
