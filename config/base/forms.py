"""Forms of the profile page."""

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from config.base.models import Scope, User
from config.base.models.token import default_scopes
from config.base.models.user import known_time_zones
from config.base.tokens import MAX_NAME_LENGTH

_DAYS = [
    ("7", _("7 days")),
    ("30", _("30 days")),
    ("90", _("90 days")),
    ("365", _("a year")),
    ("0", _("no end")),
]
_LATER = (Scope.WORK, Scope.KNOWLEDGE)  # they open nothing yet
_FOR_OPERATORS = (Scope.TOOLS_READ, Scope.TOOLS_EXECUTE, Scope.TOOLS_MANAGE)


class ProfileForm(forms.Form):
    display_name = forms.CharField(
        label=_("Display name"),
        required=False,
        max_length=150,
        help_text=_("What others see. Left empty, it is your user name."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=settings.LANGUAGES,
        help_text=_("Of these pages, and of what agents write to you."),
    )
    time_zone = forms.CharField(
        label=_("Time zone"),
        max_length=64,
        help_text=_("Every time you see is in this zone. Type a city, such as Shanghai."),
        widget=forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off"}),
    )

    def clean_time_zone(self) -> str:
        return read_time_zone(str(self.cleaned_data["time_zone"]))

    @classmethod
    def of(cls, user: User) -> "ProfileForm":
        names = {"display_name": user.get_full_name()}
        return cls(initial={**names, "language": user.language, "time_zone": user.time_zone})


def read_time_zone(typed: str) -> str:
    """A zone by its whole name, or by its city alone: shanghai, new york. Raises
    `ValidationError`.
    """
    zones = _zones_called("_".join(typed.split()).casefold())
    if len(zones) > 1:
        several = _("Several zones have this name: %(zones)s. Choose one.")
        raise ValidationError(several, params={"zones": ", ".join(zones)})
    if not zones:
        raise ValidationError(_("Unknown time zone. Choose one from the list."), code="invalid")
    return zones[0]


def _zones_called(name: str) -> list[str]:
    """The whole name counts before a city's: `utc` is UTC, though there is an Etc/UTC."""
    zones = list_time_zones()
    whole = [zone for zone in zones if zone.casefold() == name]
    return whole or [zone for zone in zones if zone.rpartition("/")[2].casefold() == name]


def list_time_zones() -> list[str]:
    return sorted(known_time_zones())


class TokenForm(forms.Form):
    """`row_id` makes the form good for one token: what is sent again makes no second one."""

    row_id = forms.UUIDField(widget=forms.HiddenInput)
    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME_LENGTH,
        help_text=_("What it is for, such as “backup script”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.ChoiceField(
        label=_("Valid for"),
        choices=_DAYS,
        initial="90",
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *arguments: Any, user: User, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._offer([scope for scope in Scope if user.is_staff or scope not in _FOR_OPERATORS])

    def _offer(self, offered: list[Scope]) -> None:
        field = self.fields["scopes"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(scope.value, scope.label) for scope in offered]
        ticked = set(offered) - set(_LATER)
        field.initial = [scope for scope in default_scopes() if scope in ticked]

    def expires_at(self, now: datetime) -> datetime | None:
        days = int(self.cleaned_data["days"])
        return now + timedelta(days=days) if days else None
