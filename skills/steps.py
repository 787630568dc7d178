"""What a workflow asks for, one thing a step: how an answer is read, kept and shown.

A step takes words and gives JSON; it has no database and no clock but the one in `Reading`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, cast
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from pydantic import JsonValue

from skills.enums import StepKind
from skills.errors import AnswerRefused
from skills.manifests import Text
from skills.messages import plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The moment and the place in which an answer is read."""

    now: datetime
    time_zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(ABC):
    """`aliases` are what a person may call it beside its name and its label, in any language."""

    kind: ClassVar[StepKind]
    name: str
    label: Text
    question: Text
    aliases: tuple[str, ...] = ()
    optional: bool = False

    @abstractmethod
    def read(self, text: str, reading: Reading) -> JsonValue:
        """The answer to keep. Raises `AnswerRefused`, whose words ask again."""

    def show(self, value: JsonValue) -> str:
        """An answer that it has kept, in one line."""
        return str(value)

    def is_called(self, name: str) -> bool:
        called = fold(name)
        return any(called == fold(str(one)) for one in (self.name, self.label, *self.aliases))


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStep(Step):
    """One line."""

    kind = StepKind.TEXT
    max_length: int = 200

    def read(self, text: str, reading: Reading) -> JsonValue:
        line = " ".join(_storable(text).split())
        if not line:
            raise AnswerRefused(_("Say it in a few words."))
        _check_length(line, self.max_length)
        return line


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStep(Step):
    """Several texts: one a line, or apart by one of `separators`."""

    kind = StepKind.LIST
    separators: str = ";；"
    max_items: int = 50
    max_length: int = 500  # of each

    def read(self, text: str, reading: Reading) -> JsonValue:
        parts = re.split(f"[\n{re.escape(self.separators)}]", _storable(text))
        items = list(dict.fromkeys(filter(None, map(_item, parts))))
        if not items:
            raise AnswerRefused(_("Name at least one."))
        if len(items) > self.max_items:
            raise AnswerRefused(_("At most %(n)s of them.") % {"n": self.max_items})
        for item in items:
            _check_length(item, self.max_length)
        return cast(JsonValue, items)

    def show(self, value: JsonValue) -> str:
        return "; ".join(map(str, value)) if isinstance(value, list) else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceStep(Step):
    """One of `choices`: by its value, its label or its number; `aliases_of` adds other words."""

    kind = StepKind.CHOICE
    choices: Mapping[str, Text]
    aliases_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def read(self, text: str, reading: Reading) -> JsonValue:
        said = fold(text)
        for number, (value, label) in enumerate(self.choices.items(), start=1):
            words = (value, str(label), str(number), *self.aliases_of.get(value, ()))
            if said in map(fold, words):
                return value
        offered = ", ".join(f"{n} {label}" for n, label in enumerate(self.choices.values(), 1))
        raise AnswerRefused(_("Choose one of these: %(choices)s.") % {"choices": offered})

    def show(self, value: JsonValue) -> str:
        return str(self.choices.get(str(value), value))


_DAY = r"(?P<day>today|tomorrow|今天|明天|\d{4}-\d{1,2}-\d{1,2})"
_MOMENT = re.compile(rf"{_DAY}[ T]*(?:at )?(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})", re.ASCII)
_DAYS_AHEAD = {"today": 0, "今天": 0, "tomorrow": 1, "明天": 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class DateTimeStep(Step):
    """A moment in the person's time zone: 2026-12-01 15:00, tomorrow 9:30, 明天 9:30.

    Kept in UTC, as ISO 8601 has it.
    """

    kind = StepKind.DATETIME

    def read(self, text: str, reading: Reading) -> JsonValue:
        zone = ZoneInfo(reading.time_zone)
        found = _MOMENT.fullmatch(fold(text).replace("t", " ") if "-" in text else fold(text))
        moment = _moment(found, reading.now.astimezone(zone).date(), zone) if found else None
        if moment is None:
            example = _("Say a date and a time, such as %(example)s or “tomorrow 9:30”.")
            raise AnswerRefused(example % {"example": "2026-12-01 15:00"})
        if datetime.fromtimestamp(moment.timestamp(), zone).replace(tzinfo=None) != moment.replace(
            tzinfo=None
        ):
            raise AnswerRefused(
                _("The clocks are changed then: there is no such time. Say another.")
            )
        return moment.astimezone(UTC).isoformat()


def _moment(found: re.Match[str], today: date, zone: ZoneInfo) -> datetime | None:
    said = found["day"]
    try:
        day = _day(said, today)
        hour, minute = int(found["hour"]), int(found["minute"])
        return datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone)
    except (ValueError, OverflowError):  # no such day, or no such time
        return None


def _day(said: str, today: date) -> date:
    if said in _DAYS_AHEAD:
        return today + timedelta(days=_DAYS_AHEAD[said])
    year, month, day = map(int, said.split("-"))
    return date(year, month, day)


def fold(text: str) -> str:
    """As a message is read, without a mark at the end."""
    return plain(text).rstrip(" .!。")


def _item(part: str) -> str:
    """Without the mark of a list."""
    return " ".join(re.sub(r"^\s*(?:[-*•·]|\d{1,2}[.)、])\s+", "", part).split())


def _storable(text: str) -> str:
    return text.replace("\x00", "")


def _check_length(text: str, most: int) -> None:
    if len(text) > most:
        said = _("That is too long: %(length)s characters, and %(most)s are the most.")
        raise AnswerRefused(said % {"length": len(text), "most": most})


def first_open(steps: Iterable[Step], answers: Mapping[str, Any]) -> str:
    """The name of the first that has no answer; empty when each has one."""
    return next((step.name for step in steps if step.name not in answers), "")
