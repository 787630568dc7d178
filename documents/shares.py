"""Reading what is shared: what others let me read, whom I let read, and what a link opens."""

import uuid
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Prefetch
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from config.base.errors import NotFound
from config.base.models import User
from config.base.tokens import digest_of
from documents.models import Document, DocumentQuerySet, DocumentShare, DocumentShareQuerySet
from documents.selectors import document_missing, key_of

_USED_RESOLUTION = timedelta(minutes=1)  # a read must not become a write each time


def list_shares(user: User, document_id: uuid.UUID, now: datetime) -> DocumentShareQuerySet:
    """The shares in force of a document of this user's, the newest first."""
    mine = DocumentShare.objects.for_user(user).filter(document_id=document_id).valid(now)
    return mine.select_related("user", "project").order_by("-created_at", "-pk")


def get_share(user: User, document_id: uuid.UUID | str, share_id: uuid.UUID | str) -> DocumentShare:
    """One that this user made, over or not. Raises `NotFound`."""
    mine = DocumentShare.objects.for_user(user).select_related("user", "project")
    found = mine.filter(document_id=key_of(document_id), pk=key_of(share_id)).first()
    if found is None:
        raise NotFound(_("The share does not exist, or it is not yours."))
    return found


def list_shared_documents(user: User, now: datetime) -> DocumentQuerySet:
    """What others let this user read now, changed last first, without content.

    Each says by which shares: `shares_to_me`, by name before by project.
    """
    documents = shared_with(user, now).defer("content").annotate(content_length=Length("content"))
    return documents.order_by("-updated_at", "-pk")


def get_shared_document(user: User, document_id: uuid.UUID | str, now: datetime) -> Document:
    """Somebody else's that this user may read now. Raises `NotFound`."""
    found = shared_with(user, now).filter(pk=key_of(document_id)).first()
    if found is None:
        raise document_missing()
    return found


def get_readable_document(user: User, document_id: uuid.UUID | str, now: datetime) -> Document:
    """One's own, or one that is shared with this user now. Raises `NotFound`."""
    own = Document.objects.for_user(user).filter(pk=key_of(document_id)).first()
    return own or get_shared_document(user, document_id, now)


def shared_with(user: User, now: datetime) -> DocumentQuerySet:
    """The one place where documents of others are let in."""
    shares = DocumentShare.objects.valid(now).reaching(user)
    shown = shares.select_related("project").order_by("-kind", "created_at")
    documents = Document.objects.filter(Exists(shares.filter(document_id=OuterRef("pk"))))
    prefetched = Prefetch("shares", queryset=shown, to_attr="shares_to_me")
    others = documents.exclude(owner_id=user.pk)
    return others.select_related("owner").prefetch_related(prefetched)


def find_link(token: str, now: datetime) -> DocumentShare | None:
    """The share, with its document, that this link opens now."""
    links = DocumentShare.objects.valid(now).select_related("document", "owner")
    digest = digest_of(token.encode(errors="replace").decode())
    return links.filter(token_hash=digest).first()


def note_use(share: DocumentShare, now: datetime) -> None:
    used = share.last_used_at
    if used is None or now - used >= _USED_RESOLUTION:
        DocumentShare.objects.filter(pk=share.pk).update(last_used_at=now)
