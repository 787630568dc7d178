"""What people change about themselves: name, language, zone, password, where they are signed in."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from config.base import audit
from config.base.actor import Actor
from config.base.errors import InvalidInput
from config.base.models import User


@transaction.atomic
def update_profile(actor: Actor, *, display_name: str, language: str, time_zone: str) -> User:
    """Raises `InvalidInput` on what is no language of ours or no zone."""
    user = User.objects.select_for_update().get(pk=actor.user.pk)
    names = {"first_name": display_name, "last_name": ""} if _renames(user, display_name) else {}
    wanted = {**names, "language": language, "time_zone": time_zone}
    changed = sorted(name for name, value in wanted.items() if getattr(user, name) != value)
    if not changed:
        return user
    for name in changed:
        setattr(user, name, wanted[name])
    _check(user, changed)
    user.save(update_fields=changed)
    _record("profile.changed", actor, fields=changed)
    return user


def _renames(user: User, display_name: str) -> bool:
    """Who has two names in the admin keeps them, unless they call themselves something else."""
    return display_name != user.get_full_name()


def _check(user: User, fields: list[str]) -> None:
    others = {field.name for field in User._meta.fields} - set(fields)
    try:
        user.clean_fields(exclude=others)
    except ValidationError as error:
        raise InvalidInput(" ".join(error.messages)) from error


@transaction.atomic
def change_password(actor: Actor, password: str) -> User:
    """Judged by its form; ends every session but the one that is told the new hash."""
    user = User.objects.select_for_update().get(pk=actor.user.pk)
    user.set_password(password)
    user.save(update_fields=["password"])
    _record("password.changed", actor)
    return user


@transaction.atomic
def end_sessions(actor: Actor) -> None:
    """Signs out everywhere, here too. Tokens go on."""
    User.objects.filter(pk=actor.user.pk).update(sessions_ended=F("sessions_ended") + 1)
    _record("sessions.ended", actor)


def _record(action: str, actor: Actor, **metadata: object) -> None:
    target = ("user", actor.user.pk)
    audit.record(action, audit.Outcome.SUCCEEDED, actor=actor, target=target, metadata=metadata)
