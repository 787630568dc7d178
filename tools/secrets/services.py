"""What changes secrets; no value reaches the audit."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor
from config.base.errors import NotFound, NotPermitted
from tools.models import Secret
from tools.secrets.errors import SecretInUse, SecretNameTaken
from tools.secrets.keys import seal
from tools.secrets.known import remember
from tools.secrets.rules import check_hosts, check_name, check_note, check_value
from tools.secrets.users import users_of


def create_secret(
    actor: Actor,
    *,
    name: str,
    value: str,
    allowed_hosts: Sequence[str],
    note: str = "",
    allow_http: bool = False,
) -> Secret:
    """Raises `NotPermitted`, `InvalidSecret`, `SecretNameTaken`, `SecretKeyMissing`."""
    _check_operator(actor)
    sealed, key_id = seal(check_value(value))
    secret = Secret(
        name=check_name(name),
        sealed=sealed,
        key_id=key_id,
        note=check_note(note),
        allowed_hosts=check_hosts(allowed_hosts),
        allow_http=allow_http,
    )
    try:
        with transaction.atomic():
            secret.save(force_insert=True)
            _record(actor, secret, ["created"])
    except IntegrityError as error:
        raise SecretNameTaken from error
    remember(value)
    return secret


@transaction.atomic
def change_secret(
    actor: Actor,
    secret_id: UUID,
    *,
    value: str | None = None,
    allowed_hosts: Sequence[str] | None = None,
    note: str | None = None,
    allow_http: bool | None = None,
) -> Secret:
    """What is None stays; the name always does. Raises as `create_secret`, and `NotFound`."""
    _check_operator(actor)
    secret = _lock(secret_id)
    changed = []
    if value is not None:
        secret.sealed, secret.key_id = seal(check_value(value))
        remember(value)
        changed.append("value")
    wanted = {
        "allowed_hosts": None if allowed_hosts is None else check_hosts(allowed_hosts),
        "note": None if note is None else check_note(note),
        "allow_http": allow_http,
    }
    for field, new in wanted.items():
        if new is not None and new != getattr(secret, field):
            setattr(secret, field, new)
            changed.append(field)
    if changed:
        secret.save()
        _record(actor, secret, changed)
    return secret


@transaction.atomic
def delete_secret(actor: Actor, secret_id: UUID) -> None:
    """Raises `SecretInUse`, which says by whom."""
    _check_operator(actor)
    secret = _lock(secret_id)
    users = users_of(secret)
    if users:
        message = _("“%(name)s” is in use: %(users)s.")
        named = {"name": secret.name, "users": ", ".join(users[:10])}
        raise SecretInUse(message % named, used_by=users[:50])
    secret.delete()
    secret.pk = secret_id
    _record(actor, secret, ["deleted"])


def hold_secrets(names: Iterable[str]) -> None:
    """Within the transaction of who begins to name them: none is deleted meanwhile."""
    wanted = sorted(set(names))
    if wanted:
        list(Secret.objects.select_for_update().filter(name__in=wanted).order_by("pk"))


def _check_operator(actor: Actor) -> None:
    if not actor.user.is_staff:
        raise NotPermitted


def _lock(secret_id: UUID) -> Secret:
    secret = Secret.objects.select_for_update().filter(pk=secret_id).first()
    if secret is None:
        raise NotFound
    return secret


def _record(actor: Actor, secret: Secret, fields: list[str]) -> None:
    audit.record(
        "config.changed",
        audit.Outcome.SUCCEEDED,
        actor=actor,
        target=("secret", secret.pk),
        metadata={"fields": sorted(fields)},
    )
