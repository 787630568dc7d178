"""Which operation takes which arguments: for the validation and for the description."""

from dataclasses import dataclass
from typing import Literal, get_args

from django.utils.translation import gettext as _


@dataclass(frozen=True, slots=True)
class Arguments:
    """`required`: all of them. `one_of`: exactly one. `some_of`: at least one. `optional`."""

    gives: str
    required: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    some_of: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def problem(self, given: set[str]) -> str:
        missing = [name for name in self.required if name not in given]
        if missing:
            return _("needs: %(names)s") % {"names": ", ".join(missing)}
        known = {*self.required, *self.one_of, *self.some_of, *self.optional}
        if unknown := sorted(given - known):
            return _("does not take: %(names)s") % {"names": ", ".join(unknown)}
        if self.one_of and len(given & set(self.one_of)) != 1:
            return _("needs exactly one of: %(names)s") % {"names": ", ".join(self.one_of)}
        if self.some_of and not given & set(self.some_of):
            return _("needs at least one of: %(names)s") % {"names": ", ".join(self.some_of)}
        return ""

    def signature(self) -> str:
        parts = [*self.required]
        if self.one_of:
            parts.append("|".join(self.one_of))
        parts.extend(f"{name}?" for name in (*self.some_of, *self.optional))
        return ", ".join(parts)


OperationName = Literal[
    "now",
    "weekday",
    "unix",
    "from_unix",
    "convert",
    "resolve_local",
    "add_elapsed",
    "add_calendar",
    "diff_seconds",
    "days_between",
    "business_days_add",
    "valid",
    "age_years",
    "day_of_year",
    "days_in_month",
    "quarter",
    "iso_week",
    "parse",
    "format",
]

OPERATION_ARGUMENTS: dict[OperationName, Arguments] = {
    "now": Arguments("the present time", optional=("tz",)),
    "weekday": Arguments("Monday … Sunday", required=("date",)),
    "unix": Arguments("seconds since 1970", required=("datetime",), optional=("tz",)),
    "from_unix": Arguments("the time there", required=("seconds",), optional=("tz",)),
    "convert": Arguments(
        "the same instant in zone `to`", required=("datetime", "to"), optional=("from",)
    ),
    "resolve_local": Arguments("local time with its offset", required=("local",), optional=("tz",)),
    "add_elapsed": Arguments(
        "physical time later",
        required=("datetime",),
        some_of=("hours", "minutes", "seconds"),
        optional=("tz",),
    ),
    "add_calendar": Arguments(
        "the same wall clock time later; a shorter month cuts the day",
        one_of=("date", "datetime"),
        some_of=("years", "months", "weeks", "days"),
        optional=("tz",),
    ),
    "diff_seconds": Arguments(
        "physical seconds from `from` to `to`",
        required=("from", "to"),
        optional=("from_tz", "to_tz"),
    ),
    "days_between": Arguments("days from `from` to `to`", required=("from", "to")),
    "business_days_add": Arguments(
        "Monday to Friday without the holidays you list",
        required=("date", "days"),
        optional=("holidays",),
    ),
    "valid": Arguments("is it a real ISO date", required=("date",)),
    "age_years": Arguments("full years", required=("birth",), optional=("on",)),
    "day_of_year": Arguments("1 … 366", required=("date",)),
    "days_in_month": Arguments("28 … 31", required=("date",)),
    "quarter": Arguments("1 … 4", required=("date",)),
    "iso_week": Arguments("such as 2026-W48-7", required=("date",)),
    "parse": Arguments("date, or time with offset", required=("text",), optional=("tz",)),
    "format": Arguments(
        "text by a strftime pattern", required=("datetime", "format"), optional=("tz",)
    ),
}

assert set(OPERATION_ARGUMENTS) == set(get_args(OperationName))
