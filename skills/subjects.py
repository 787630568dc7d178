"""From a person to the id that stands for them in events, and back while they are not erased."""

import time
import uuid
from functools import partial
from typing import Any

from django.db import connection, transaction

from config.base.models import User
from skills.hashing import subject_mac
from skills.models import AuditSubject

_KNOWN = "_audit_subject_id"
_FIND = f'SELECT "id" FROM "{AuditSubject._meta.db_table}" WHERE "user_id" = %s'  # noqa: S608
_MOST = 4096

KEPT_SECONDS = 60.0  # so soon somebody who was erased and came back has the new one everywhere

# What no rollback can undo any more, and until when (of `time.monotonic`). A person's id is never
# given to another, and that of an erased one leads nowhere.
_committed: dict[uuid.UUID, tuple[uuid.UUID, float]] = {}


def subject_of(user: User) -> uuid.UUID | None:
    """The person's subject; None once they are deleted. One query per person, process and minute.

    It is made with the user (`skills.signals`); the fallback is for users made in bulk, and is not
    kept on the instance: the transaction that made it may yet roll back.
    """
    if not user.pk:
        return None
    known: uuid.UUID | None = getattr(user, _KNOWN, None) or _kept(user.pk)
    if known is None:
        known = _find_subject(user)
        if known is None:
            facts = facts_of_new(user.pk)
            return AuditSubject.objects.get_or_create(user_id=user.pk, defaults=facts)[0].pk
        setattr(user, _KNOWN, known)
        transaction.on_commit(partial(_keep, user.pk, known))
    return known


def facts_of_new(user_id: uuid.UUID) -> dict[str, Any]:
    """What a new subject of this person is made with."""
    new = uuid.uuid4()
    return {"id": new, "mac": subject_mac(new, user_id)}


def _keep(user_id: uuid.UUID, subject: uuid.UUID) -> None:
    if len(_committed) >= _MOST:
        _committed.clear()
    _committed[user_id] = subject, time.monotonic() + KEPT_SECONDS


def _kept(user_id: uuid.UUID) -> uuid.UUID | None:
    subject, until = _committed.get(user_id, (None, 0.0))
    return subject if time.monotonic() < until else None


def _find_subject(user: User) -> uuid.UUID | None:
    """By a statement that is made once: each event of a job asks."""
    with connection.cursor() as cursor:
        cursor.execute(_FIND, [User._meta.pk.get_db_prep_save(user.pk, connection)])
        row = cursor.fetchone()
    return row and (row[0] if isinstance(row[0], uuid.UUID) else uuid.UUID(row[0]))
