"""Making, finding and revoking API tokens."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput, NotFound
from config.base.ids import uuid7
from config.base.models import ApiToken, Scope, User
from config.base.models.token import default_scopes

PREFIX = "gh_"
MAX_NAME_LENGTH = 100
_USED_RESOLUTION = timedelta(minutes=1)  # a read must not become a write on every request


def digest_of(token: str) -> str:
    """Plain SHA-256 is enough: the token has 256 random bits, so there is nothing to guess."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def create_token(
    user: User,
    *,
    actor: Actor,
    name: str,
    scopes: Sequence[str] | None = None,
    expires_at: datetime | None = None,
    row_id: UUID | None = None,
) -> tuple[ApiToken, str]:
    """The row and the token itself, which can't be read again. Raises `InvalidInput`."""
    chosen = list(dict.fromkeys(scopes)) if scopes is not None else default_scopes()
    unknown = sorted(set(chosen) - set(Scope.values))
    if unknown:
        raise InvalidInput(
            _("Unknown scopes: %(scopes)s.") % {"scopes": ", ".join(unknown)}, code="unknown_scope"
        )
    if len(name) > MAX_NAME_LENGTH:
        raise InvalidInput(
            _("A name has at most %(n)s characters.") % {"n": MAX_NAME_LENGTH}, code="too_long"
        )
    token = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        id=row_id or uuid7(),
        user=user,
        name=name,
        digest=digest_of(token),
        hint=token[-4:],
        scopes=chosen,
        expires_at=expires_at,
    )
    audit.record(
        "token.created",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("api_token", row.pk),
        metadata={"scopes": chosen, "for": audit.Person(user.pk)},
    )
    return row, token


def list_tokens(user: User) -> QuerySet[ApiToken]:
    """Those that can be used first, the newest before the others."""
    return ApiToken.objects.filter(user=user).order_by(
        F("revoked_at").desc(nulls_first=True), "-created_at", "-pk"
    )


def get_token(user: User, token_id: UUID) -> ApiToken:
    """Raises `NotFound`."""
    token = ApiToken.objects.filter(user=user, pk=token_id).first()
    if token is None:
        raise NotFound
    return token


@transaction.atomic
def revoke_token(token: ApiToken, *, actor: Actor) -> None:
    """Twice is once."""
    if not ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=Now()):
        return
    audit.record(
        "token.revoked", audit.Outcome.SUCCEEDED, actor=actor, target=("api_token", token.pk)
    )


def find_token(token: str) -> ApiToken | None:
    """The usable token of this text, with its user; to look at, not to sign somebody in."""
    return ApiToken.objects.usable().select_related("user").filter(digest=digest_of(token)).first()


def use_token(token: str) -> ApiToken | None:
    """As `find_token`, and notes that it was used."""
    found = find_token(token)
    if found:
        _note_use(found)
    return found


def _note_use(token: ApiToken) -> None:
    used = token.last_used_at
    if used is None or timezone.now() - used >= _USED_RESOLUTION:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())
