"""Erasing a person: their events stay and lead to nobody; with the account goes all of theirs."""

from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict, NotFound
from config.base.models import User
from skills.models import AuditSubject

ERASED = "audit.person_erased"


class PersonActive(Conflict):
    default_message = _("This person can still sign in. Deactivate the account first.")
    code = "person_active"


@transaction.atomic
def erase_person(actor: Actor | None, user_id: UUID, *, with_account: bool = False) -> bool:
    """Delete what ties the subject of events to this person; false if nothing does any more.

    `with_account`: and the account, with all rows that are theirs. Raises `NotFound`, and
    `PersonActive` for somebody who could go on acting under the old tie. The event names the
    account and not the subject, or it would be the tie itself.
    """
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound
    if user.is_active:
        raise PersonActive
    deleted, _rows = AuditSubject.objects.filter(user=user).delete()
    if deleted or with_account:
        audit.record(
            ERASED,
            audit.Outcome.SUCCEEDED,
            actor=actor,
            target=("user", user.pk),
            metadata={"account": with_account},
        )
    if with_account:
        _delete_account(user)
    return bool(deleted or with_account)


def _delete_account(user: User) -> None:
    """What is theirs goes with it, by its relations; what they did stays in the log, unnamed."""
    LogEntry.objects.filter(
        Q(user=user) | Q(content_type__model="user", object_id=str(user.pk))
    ).delete()
    user.delete()
