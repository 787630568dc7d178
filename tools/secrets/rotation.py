"""Sealing every secret anew with the newest key. Killed anywhere, it is simply run again."""

from dataclasses import dataclass, field
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from config.base import audit
from config.base.errors import GatehouseError
from config.base.faults import fault_point
from tools.models import Secret
from tools.secrets.keys import newest_key, seal, unseal

BATCH = 100


@dataclass(slots=True)
class Rotation:
    """`unreadable` are the names of those that were left as they are, and why."""

    resealed: int = 0
    up_to_date: int = 0
    unreadable: dict[str, str] = field(default_factory=dict)


def rotate_secrets() -> Rotation:
    """Opens each, seals those anew that another key sealed. Raises `SecretKeyMissing`."""
    newest_key()
    rotation = Rotation()
    after: UUID | None = None
    while True:
        last = _rotate_batch(rotation, after)
        if last is None:
            return rotation
        fault_point("secrets.resealed")
        after = last


@transaction.atomic
def _rotate_batch(rotation: Rotation, after: UUID | None) -> UUID | None:
    rows = Secret.objects.select_for_update().order_by("pk")
    batch = list((rows.filter(pk__gt=after) if after else rows)[:BATCH])
    resealed = [secret for secret in batch if _reseal(secret, rotation)]
    Secret.objects.bulk_update(resealed, ["sealed", "key_id", "updated_at"])
    fault_point("secrets.written")
    audit.record_all(
        [
            audit.entry(
                "secret.resealed",
                audit.Outcome.SUCCEEDED,
                actor=None,
                target=("secret", secret.pk),
                metadata={"key_id": secret.key_id},
            )
            for secret in resealed
        ]
    )
    return batch[-1].pk if batch else None


def _reseal(secret: Secret, rotation: Rotation) -> bool:
    try:
        value = unseal(secret.sealed, secret.key_id)
    except GatehouseError as error:
        rotation.unreadable[secret.name] = f"{error.code}: {error.message}"
        return False
    if secret.key_id == newest_key().id:
        rotation.up_to_date += 1
        return False
    secret.sealed, secret.key_id = seal(value)
    secret.updated_at = timezone.now()
    rotation.resealed += 1
    return True
