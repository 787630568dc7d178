"""Who stands behind an event, for lists that do not ask once a row."""

from typing import Any

from django.db.models import Subquery
from django.utils.translation import gettext as _

from skills.models import AuditEvent, AuditSubject


def user_name(subject: Any) -> Subquery:
    """For `annotate(user_name=…)`."""
    names = AuditSubject.objects.filter(pk=subject).values("user__username")
    return Subquery(names[:1])


def who_of(event: AuditEvent) -> str:
    """Of an event that was read with its `user_name`."""
    name = getattr(event, "user_name", None)
    if name:
        return f"{name} ({event.get_actor_display()})"
    erased = _("erased") if event.subject else ""
    return f"{event.get_actor_display()} {erased}".strip()
