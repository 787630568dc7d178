"""The people who sign in."""

import zoneinfo
from functools import cache

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7


@cache
def known_time_zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


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

    class Meta(AbstractUser.Meta):
        swappable = "AUTH_USER_MODEL"

    @property
    def display_name(self) -> str:
        return self.get_full_name() or self.username
