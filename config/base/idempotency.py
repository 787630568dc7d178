"""Idempotency keys: chosen by clients, so looked at before anything is stored under them."""

from datetime import timedelta

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from config.base.batches import delete_batch
from config.base.errors import InvalidInput
from config.base.models import IdempotencyRecord

MAX_KEY_LENGTH = 200
KEEP = timedelta(hours=24)  # after which the same key is a new one; by the database's clock


def check_key(key: str) -> str:
    """The key itself. Raises `InvalidInput` on one that can't be kept."""
    if len(key) > MAX_KEY_LENGTH or not key.isprintable():
        raise InvalidInput(
            _("An Idempotency-Key has at most %(n)s printable characters.") % {"n": MAX_KEY_LENGTH},
            code="invalid_idempotency_key",
        )
    return key


def old_answers() -> QuerySet[IdempotencyRecord]:
    return IdempotencyRecord.objects.filter(created_at__lt=Now() - KEEP)


def purge_old_answers() -> int:
    return delete_batch(old_answers())
