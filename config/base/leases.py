"""Leases and fencing (ARCHITECTURE.md, "Invariants"): the database's clock only.

A claim is a compare-and-set on the revision that was read, so of two claimers one wins. The
claimed revision is the fencing token: `hold_fence` inside the transaction of each effect makes a
write of a holder who lost the lease impossible.
"""

import os
import secrets
import socket
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from config.base.errors import LeaseLost
from config.base.models import Leased, NamedLease


def machine_name() -> str:
    return socket.gethostname()[:40]


def new_owner() -> str:
    """Names one holder within one process of one machine."""
    return f"{machine_name()}:{os.getpid()}:{secrets.token_hex(4)}"


def lease_is_free() -> Q:
    """Nobody holds it, or the holder's time is up."""
    return Q(lease_expires_at=None) | Q(lease_expires_at__lte=Now())


def claim(
    rows: models.QuerySet[Any], *, revision: int, owner: str, seconds: float, **changes: Any
) -> int | None:
    """Claim the one row of `rows` if it still has this revision; the new revision, or None.

    `rows` carries the whole condition under which the row may be claimed.
    """
    claimed = rows.filter(revision=revision).update(
        revision=F("revision") + 1,
        lease_owner=owner,
        lease_expires_at=Now() + timedelta(seconds=seconds),
        **changes,
    )
    return revision + 1 if claimed else None


def renew(rows: models.QuerySet[Any], *, revision: int, owner: str, seconds: float) -> bool:
    """Extend the lease; false when it was lost. Does not raise the revision."""
    return bool(
        rows.filter(revision=revision, lease_owner=owner).update(
            lease_expires_at=Now() + timedelta(seconds=seconds)
        )
    )


def hold_fence(rows: models.QuerySet[Any], *, revision: int) -> None:
    """Lock the row until the end of this transaction; raises `LeaseLost` if it was taken over."""
    if not transaction.get_connection(rows.db).in_atomic_block:
        raise RuntimeError("a fence holds only within a transaction")
    if not rows.filter(revision=revision).select_for_update().exists():
        raise LeaseLost


def hold_duty(name: str, *, owner: str, seconds: float) -> bool:
    """Take or keep a named duty for `seconds`; false while somebody else has it."""
    NamedLease.objects.get_or_create(name=name)
    mine = Q(lease_owner=owner) | lease_is_free()
    return bool(
        NamedLease.objects.filter(mine, name=name).update(
            revision=F("revision") + 1,
            lease_owner=owner,
            lease_expires_at=Now() + timedelta(seconds=seconds),
        )
    )


def release_duty(name: str, *, owner: str) -> None:
    NamedLease.objects.filter(name=name, lease_owner=owner).update(
        lease_owner="", lease_expires_at=None
    )


__all__ = [
    "Leased",
    "claim",
    "hold_duty",
    "hold_fence",
    "lease_is_free",
    "new_owner",
    "release_duty",
    "renew",
]
