"""What the offline model says, in English and Chinese.

Its own table rather than gettext: the answer follows the language of the message, not the
language that the user's pages are in.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from agents.model_clients.rules.texts import TEXTS
from agents.model_clients.rules.turn import Outcome

_WEEKDAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS_EN = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_OWN_SENTENCES = ("dismissed", "answered", "expired", "cancelled", "outcome_unknown")
_WORDS_MARK = "Their words: "  # how the pipeline hands on what a person wrote


def answers_in(outcomes: Iterable[Outcome | None]) -> list[str]:
    """What the person wrote on cards of these calls. No tool can give this code to a result."""
    answered = [one for one in outcomes if one is not None and one.code == "answered"]
    return [words for one in answered if (words := _words_in(one.message))]


def _words_in(message: str) -> str:
    return message.partition(_WORDS_MARK)[2]


@dataclass(frozen=True, slots=True)
class Voice:
    chinese: bool = False

    def say(self, key: str, **values: object) -> str:
        return TEXTS[key][self.chinese].format_map(values)

    def failure(self, tool_type: str, code: str, message: str) -> str:
        if code in _OWN_SENTENCES:
            return self.say(code, message=_words_in(message) or message)
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
