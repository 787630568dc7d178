"""The people who sign in."""

import zoneinfo
from functools import cache

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7

# What the system's files hold beside zones: the machine's own, and "not set up yet".
_NO_ZONES = frozenset({"localtime", "Factory"})


@cache
def known_time_zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones()) - _NO_ZONES


def validate_time_zone(value: str) -> None:
    if value not in known_time_zones():
        raise ValidationError(_("%(zone)s is no IANA time zone."), params={"zone": value})


class User(AbstractUser):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    language = models.CharField(
        _("language"), max_length=10, default="en", choices=[("en", "English"), ("zh-hans", "中文")]
    )
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )

    sessions_ended = models.PositiveIntegerField(default=0, editable=False)  # how often

    class Meta(AbstractUser.Meta):
        swappable = "AUTH_USER_MODEL"

    @property
    def display_name(self) -> str:
        return self.get_full_name() or self.username

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's, which a session keeps; another one after each `end_sessions`."""
        own: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]  # Django's hook, missing in its stubs
        if not self.sessions_ended:
            return own
        value = f"{own}:{self.sessions_ended}"
        return salted_hmac("sessions", value, secret=secret, algorithm="sha256").hexdigest()
