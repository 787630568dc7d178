"""What a person writes to be reminded."""

from collections.abc import Iterable, Set
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.models import Agent
from agents.views.skills.rules import Repeat, cron_of
from config.base.errors import GatehouseError
from config.base.forms import read_time_zone
from config.base.ids import uuid7
from config.base.models import User
from config.base.moments import moment_in
from jobs.errors import InvalidRecurrence, TooFarAhead
from jobs.recurrence import MAX_CRON_LENGTH, next_slot
from skills.background.services import Order
from skills.definitions import MAX_NOTE_LENGTH
from skills.errors import AgentNotYours, TooOften, TooSoon

_FORMAT = "%Y-%m-%dT%H:%M"  # of <input type="datetime-local">
_FIELDS: dict[str, str] = {
    AgentNotYours.code: "agent",
    TooSoon.code: "when",
    TooFarAhead.code: "when",
    TooOften.code: "cron",
    InvalidRecurrence.code: "cron",
    "too_long": "note",
    "invalid": "note",
}


class LocalMoment(forms.Field):
    """What a clock on a wall shows, without a zone."""

    default_error_messages = {"invalid": _("Write a day and a time, such as 2026-12-24T18:30.")}
    widget = forms.DateTimeInput(format=_FORMAT, attrs={"type": "datetime-local"})

    def to_python(self, value: Any) -> datetime | None:
        try:
            moment = datetime.fromisoformat(value) if value else None
        except ValueError as error:
            raise self._unreadable() from error
        if moment is not None and moment.tzinfo is not None:
            raise self._unreadable()
        return moment

    def _unreadable(self) -> ValidationError:
        return ValidationError(self.error_messages["invalid"], code="invalid")


class Note(forms.CharField):
    widget = forms.Textarea(attrs={"rows": 2})

    def to_python(self, value: Any) -> str:
        """A line's end counts once, as in the browser."""
        return (super().to_python(value) or "").replace("\r\n", "\n")


class AgentSelect(forms.Select):
    """Those that may not remind are shown, and can't be chosen."""

    permitted: Set[str] = frozenset()

    def create_option(self, name: str, value: Any, *rest: Any, **more: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *rest, **more)
        if str(value) not in self.permitted:
            option["attrs"]["disabled"] = True
        return option


class ReminderForm(forms.Form):
    use_required_attribute = False  # one of two fields is hidden, which a browser can't point at

    agent = forms.ChoiceField(label=_("Agent"), widget=AgentSelect)
    repeat = forms.ChoiceField(label=_("Repeat"), choices=Repeat.choices, initial=Repeat.ONCE)
    when = LocalMoment(label=_("Day and time"))
    cron = forms.CharField(
        label=_("Cron expression"),
        max_length=MAX_CRON_LENGTH,
        help_text=_("Minute, hour, day of the month, month, day of the week: “30 8 * * 1-5”."),
        widget=forms.TextInput(
            attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    zone = forms.CharField(
        label=_("Time zone"),
        max_length=64,
        help_text=_("Yours, unless you choose another."),
        widget=forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off"}),
    )
    note = Note(
        label=_("Note"),
        required=False,
        max_length=MAX_NOTE_LENGTH,
        help_text=_("What it is about. The reminder shows you this text."),
    )
    key = forms.CharField(required=False, widget=forms.HiddenInput)  # sent twice, planned once

    def __init__(
        self, *arguments: Any, agents: Iterable[Agent], permitted: Set[UUID], **options: Any
    ) -> None:
        super().__init__(*arguments, **{"auto_id": "reminder-%s", **options})
        field = self.fields["agent"]
        assert isinstance(field, forms.ChoiceField)
        assert isinstance(field.widget, AgentSelect)
        field.choices = [(str(agent.pk), agent.name) for agent in agents]
        field.widget.permitted = {str(key) for key in permitted}
        if self.is_bound:
            is_by_cron = self.data.get("repeat") == Repeat.CRON
            self.fields["when" if is_by_cron else "cron"].required = False

    def clean_cron(self) -> str:
        """Told with whatever else is wrong; of the other repeats it is made below."""
        cron = str(self.cleaned_data["cron"])
        if self.data.get("repeat") == Repeat.CRON and cron:
            try:
                next_slot(cron, "UTC", timezone.now())
            except InvalidRecurrence as error:
                raise ValidationError(error.message, code=error.code) from error
        return cron

    def clean_zone(self) -> str:
        return read_time_zone(str(self.cleaned_data["zone"]))

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if {"when", "zone", "repeat"} <= given.keys() and given["repeat"] != Repeat.CRON:
            self._place(given["when"], given["zone"], Repeat(given["repeat"]))
        return given

    def _place(self, local: datetime, zone: str, repeat: Repeat) -> None:
        """The moment that is meant; a series must begin with it, as it begins with its first."""
        try:
            moment = local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
            shown = moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        except OverflowError:
            self.add_error("when", str(TooFarAhead.default_message))
            return
        if shown != local:
            self.add_error("when", _("The clocks skip this time on that day."))
        self.cleaned_data["moment"] = moment
        if repeat != Repeat.ONCE:
            self._begin(local, moment, zone, cron_of(repeat, local))

    def _begin(self, local: datetime, moment: datetime, zone: str, cron: str) -> None:
        self.cleaned_data["cron"] = cron
        first = next_slot(cron, zone, timezone.now())
        if first != moment:
            said = _("It would begin %(first)s, its next time from now on: choose that.")
            self.add_error("when", ValidationError(said, params={"first": moment_in(zone, first)}))

    def order(self, skill_id: str) -> Order:
        given = self.cleaned_data
        repeats = given["repeat"] != Repeat.ONCE
        rule = {"cron": given["cron"], "zone": given["zone"], "missed": "run_once"}
        return Order(
            skill_id=skill_id,
            agent_id=UUID(given["agent"]),
            note=given["note"],
            scheduled_at=None if repeats else given["moment"],
            recurrence=rule if repeats else None,
            key=given["key"],
        )

    def refuse(self, error: GatehouseError) -> None:
        """Beside the field that it is about, or above all of them."""
        field = _FIELDS.get(error.code)
        by_cron = self.cleaned_data.get("repeat") == Repeat.CRON
        self.add_error("cron" if field == "when" and by_cron else field, error.message)


def first_values(user: User, agent_id: UUID | None, now: datetime) -> dict[str, Any]:
    """Tomorrow morning, and the key of this rendering."""
    tomorrow = now.astimezone(ZoneInfo(user.time_zone)) + timedelta(days=1)
    when = tomorrow.replace(hour=9, minute=0, second=0, microsecond=0, tzinfo=None)
    zone = user.time_zone
    return {"agent": str(agent_id or ""), "when": when, "zone": zone, "key": str(uuid7())}
