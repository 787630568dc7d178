"""Letting others read a document, and taking that back: a person's own act.

No agent, tool or job shares: what leaves its owner's hands is decided by the owner alone.
"""

import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.batches import delete_batch
from config.base.errors import InvalidInput, NotPermitted
from config.base.ids import uuid7
from config.base.models import Membership, Project, User
from config.base.tokens import digest_of
from documents.enums import ShareKind
from documents.models import Document, DocumentShare
from documents.selectors import key_of
from documents.services.keeping import lock_document
from documents.shares import get_share

LINK_KEPT_FOR = timedelta(days=7)
LINK_AT_MOST = timedelta(days=90)
AT_MOST = timedelta(days=3650)  # of what has an end; for ever is without one
KEPT_FOR = timedelta(days=30)  # after its end
MAX_SHARES = 100  # of one document, in force at once
_OF_PEOPLE = (Origin.PAGE, Origin.API)


class NotAPerson(NotPermitted):
    """Only a person shares a document."""

    code = "person_required"


@dataclass(frozen=True, slots=True)
class Shared:
    share: DocumentShare
    is_new: bool
    token: str = ""  # of a link, this once: only its digest is kept


@transaction.atomic
def share_with_user(
    actor: Actor, document_id: uuid.UUID | str, username: str, *, expires_at: datetime | None = None
) -> Shared:
    """Shared with them already, it gets the new end. Raises `NotFound`, `InvalidInput`."""
    document = _own_document(actor, document_id)
    reader = User.objects.filter(username=username, is_active=True).first()
    if reader is None:
        raise InvalidInput(_("There is nobody of this name."), code="unknown_person")
    if reader.pk == actor.user.pk:
        raise InvalidInput(_("It is yours: you can read it anyway."), code="own_document")
    return _share(actor, document, expires_at, kind=ShareKind.USER, user=reader)


@transaction.atomic
def share_with_project(
    actor: Actor, document_id: uuid.UUID | str, slug: str, *, expires_at: datetime | None = None
) -> Shared:
    """With whoever is a member when they read. The actor must be one too.

    Raises `NotFound`, `InvalidInput`.
    """
    document = _own_document(actor, document_id)
    mine = Membership.objects.filter(user_id=actor.user.pk).values("project_id")
    project = Project.objects.filter(slug=slug, pk__in=mine).first()
    if project is None:
        message = _("There is no such project, or you are not a member.")
        raise InvalidInput(message, code="unknown_project")
    return _share(actor, document, expires_at, kind=ShareKind.PROJECT, project=project)


@transaction.atomic
def make_link(
    actor: Actor,
    document_id: uuid.UUID | str,
    *,
    expires_at: datetime | None = None,
    row_id: uuid.UUID | None = None,
) -> Shared:
    """A new link each time, for a week unless said otherwise, 90 days at most.

    Raises `NotFound`, `InvalidInput`.
    """
    document = _own_document(actor, document_id)
    now = timezone.now()
    expires_at = expires_at or now + LINK_KEPT_FOR
    _check_end(expires_at, now, LINK_AT_MOST)
    _check_room(document, now)
    token = secrets.token_urlsafe(32)
    share = DocumentShare.objects.create(
        id=row_id or uuid7(),
        document=document,
        owner=actor.user,
        kind=ShareKind.LINK,
        token_hash=digest_of(token),
        created_at=now,
        expires_at=expires_at,
    )
    _record("document.shared", actor, share)
    return Shared(share, is_new=True, token=token)


@transaction.atomic
def revoke_share(actor: Actor, document_id: uuid.UUID | str, share_id: uuid.UUID | str) -> None:
    """At once, for every reader of it. Twice is once. Raises `NotFound`."""
    _require_person(actor)
    share = get_share(actor.user, document_id, share_id)
    present = DocumentShare.objects.filter(pk=share.pk, revoked_at=None)
    if present.update(revoked_at=timezone.now()):
        _record("document.unshared", actor, share)


def purge_old_shares() -> int:
    """Housekeeping: forget a batch of those that ended long ago; how many. The audit keeps them."""
    long_ago = timezone.now() - KEPT_FOR
    over = Q(revoked_at__lt=long_ago) | Q(expires_at__lt=long_ago)
    return delete_batch(DocumentShare.objects.filter(over))


def _own_document(actor: Actor, document_id: uuid.UUID | str) -> Document:
    """Locked, so that two who share at once make one row."""
    _require_person(actor)
    return lock_document(actor, key_of(document_id), None)


def _require_person(actor: Actor) -> None:
    if actor.origin not in _OF_PEOPLE or actor.is_agent or actor.run_id:
        raise NotAPerson


def _share(actor: Actor, document: Document, expires_at: datetime | None, **reader: Any) -> Shared:
    now = timezone.now()
    if expires_at is not None:
        _check_end(expires_at, now, AT_MOST)
    present = DocumentShare.objects.filter(document=document, revoked_at=None, **reader).first()
    if present is None:
        _check_room(document, now)
        share = DocumentShare.objects.create(
            document=document, owner=actor.user, created_at=now, expires_at=expires_at, **reader
        )
        _record("document.shared", actor, share)
        return Shared(share, is_new=True)
    if present.expires_at != expires_at:
        present.expires_at = expires_at
        present.save(update_fields=["expires_at"])
        _record("document.shared", actor, present)
    return Shared(present, is_new=False)


def _check_end(expires_at: datetime, now: datetime, at_most: timedelta) -> None:
    if expires_at <= now:
        raise InvalidInput(_("That would be over already."), code="in_the_past")
    if expires_at > now + at_most:
        message = _("This can be shared for at most %(days)s days.") % {"days": at_most.days}
        raise InvalidInput(message, code="too_long")


def _check_room(document: Document, now: datetime) -> None:
    if DocumentShare.objects.filter(document=document).valid(now).count() >= MAX_SHARES:
        message = _("A document has at most %(n)s shares. Revoke one first.") % {"n": MAX_SHARES}
        raise InvalidInput(message, code="too_many_shares")


def _record(action: str, actor: Actor, share: DocumentShare) -> None:
    audit.record(
        action,
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("document", share.document_id),
        metadata={
            "share": str(share.pk),
            "kind": str(share.kind),
            "person": audit.Person(share.user_id),
            "project": str(share.project_id or ""),
            "expires_at": share.expires_at.isoformat() if share.expires_at else "",
        },
    )
