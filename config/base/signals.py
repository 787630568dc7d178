"""Signing in and failing to is audited."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.dispatch import receiver

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.models import User


@receiver(user_logged_in)
def on_signed_in(user: User, **_: Any) -> None:
    actor = Actor(user=user, origin=Origin.PAGE)
    audit.record("auth.signed_in", audit.Outcome.SUCCEEDED, actor=actor, target=("user", user.pk))


@receiver(user_logged_out)
def on_signed_out(user: User | None, **_: Any) -> None:
    if user is not None:
        actor = Actor(user=user, origin=Origin.PAGE)
        audit.record(
            "auth.signed_out", audit.Outcome.SUCCEEDED, actor=actor, target=("user", user.pk)
        )


@receiver(user_login_failed)
def on_sign_in_failed(credentials: dict[str, Any], **_: Any) -> None:
    """Names the account only if there is one: a password typed as a name must not be kept."""
    found = User.objects.filter(username=credentials.get("username", "")).first()
    audit.record(
        "auth.failed",
        audit.Outcome.DENIED,
        actor=None,
        target=("user", found.pk if found else ""),
        reason_code="bad_credentials",
    )
