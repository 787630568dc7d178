"""What the offline model says, in English and Chinese.

Its own table rather than gettext: the answer follows the language of the message, not the
language that the user's pages are in.
"""

from dataclasses import dataclass
from datetime import date, datetime

from agents.model_clients.rules.texts import TEXTS

_WEEKDAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS_EN = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_OWN_SENTENCES = ("dismissed", "answered", "expired", "cancelled", "outcome_unknown")
_WORDS_MARK = "Their words: "  # how the pipeline hands on what a person wrote


@dataclass(frozen=True, slots=True)
class Voice:
    chinese: bool = False

    def say(self, key: str, **values: object) -> str:
        return TEXTS[key][self.chinese].format_map(values)

    def failure(self, tool_type: str, code: str, message: str) -> str:
        if code in _OWN_SENTENCES:
            return self.say(code, message=message.rpartition(_WORDS_MARK)[2])
        return self.say("failed", type=tool_type, message=message or code or "?")

    def weekday(self, number: int) -> str:
        """`number` from 0, Monday."""
        return f"星期{'一二三四五六日'[number]}" if self.chinese else _WEEKDAYS_EN[number]

    def date(self, day: date) -> str:
        weekday = self.weekday(day.weekday())
        if self.chinese:
            return f"{day.year}年{day.month}月{day.day}日（{weekday}）"
        return f"{weekday}, {day.day} {_MONTHS_EN[day.month - 1]} {day.year}"

    def moment(self, when: datetime) -> str:
        clock = f"{when:%H:%M}"
        day = self.date(when.date())
        return f"{day} {clock}" if self.chinese else f"{clock} on {day}"
