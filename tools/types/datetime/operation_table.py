"""Which operation takes which arguments: for the validation and for the description."""

from typing import Literal, get_args

from tools.operations import Arguments

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

OPERATION_ARGUMENTS: dict[str, Arguments] = {
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
