"""Erasing a person: their events stay and lead to nobody, what they told workflows goes."""

from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import Conflict, NotFound
from config.base.models import User
from skills.models import AuditSubject, WorkflowSession

ERASED = "audit.person_erased"


class PersonActive(Conflict):
    default_message = _("This person can still sign in. Deactivate the account first.")
    code = "person_active"


@transaction.atomic
def erase_person(actor: Actor | None, user_id: UUID) -> bool:
    """Delete what ties the subject of events to this person; false if nothing does any more.

    Raises `NotFound`, and `PersonActive` for somebody who could go on acting under the old tie. The
    event names the account and not the subject, or it would be the tie itself.
    """
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound
    if user.is_active:
        raise PersonActive
    WorkflowSession.objects.for_user(user).delete()
    deleted, _rows = AuditSubject.objects.filter(user=user).delete()
    if deleted:
        audit.record(ERASED, audit.Outcome.SUCCEEDED, actor=actor, target=("user", user.pk))
    return bool(deleted)
