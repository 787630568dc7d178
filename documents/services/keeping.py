"""What every change shares: the locked row, its next revision, the version, what can be found of it
and the audit event.
"""

import uuid

from django.utils import timezone
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict
from documents.enums import Change
from documents.models import Document
from documents.search.index import drop_item, put_item
from documents.search_sources import KIND, item_of
from documents.selectors import document_missing
from documents.texts import tags_as_text
from documents.versions import write_version


class StaleRevision(Conflict):
    """The document has changed since you read it."""

    code = "stale_revision"

    def __init__(self, current: int) -> None:
        message = _("The document has changed since you read it: it is at revision %(current)s.")
        super().__init__(message % {"current": current}, revision=current)


def lock_document(actor: Actor, document_id: uuid.UUID, expected_revision: int | None) -> Document:
    mine = Document.objects.for_user(actor.user).select_for_update()
    document = mine.filter(pk=document_id).first()
    if document is None:
        raise document_missing()
    if expected_revision is not None and expected_revision != document.revision:
        raise StaleRevision(document.revision)
    return document


def save_next(document: Document) -> None:
    document.tags_text = tags_as_text(document.tags)
    document.revision += 1
    document.updated_at = timezone.now()
    document.save(force_update=True)


def keep(
    actor: Actor,
    document: Document,
    change: Change,
    changed: list[str],
    restored_from: int | None = None,
) -> None:
    write_version(actor, document, change, changed, restored_from)
    if change is Change.DELETED:
        drop_item(KIND, document.pk)
    else:
        put_item(item_of(document))
    facts = {"restored_from": restored_from} if restored_from else {}
    audit.record(
        f"document.{change}",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("document", document.pk),
        metadata={
            "type": str(document.type),
            "revision": document.revision,
            "changed": changed,
            **facts,
        },
    )
