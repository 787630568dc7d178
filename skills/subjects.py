"""From a person to the id that stands for them in events, and back while they are not erased."""

import uuid

from django.core.exceptions import ObjectDoesNotExist

from config.base.models import User
from skills.models import AuditSubject


def subject_of(user: User) -> uuid.UUID | None:
    """The person's subject; None once they are deleted. Costs one query per `user` instance.

    It is made with the user (`skills.signals`); the fallback is for users made in bulk, and is not
    kept on the instance: the transaction that made it may yet roll back.
    """
    if not user.pk:
        return None
    try:
        return user.audit_subject.pk
    except ObjectDoesNotExist:
        return AuditSubject.objects.get_or_create(user_id=user.pk)[0].pk
