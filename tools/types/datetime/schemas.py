"""Config, input and output of the tool type `datetime`."""

from typing import Annotated

from django.utils.translation import gettext as _
from pydantic import ConfigDict, Field, field_validator

from tools.operations import OperationInput
from tools.tool_type import ToolConfig, ToolOutput
from tools.types.datetime.operation_table import OPERATION_ARGUMENTS, OperationName
from tools.types.datetime.zones import zone_names

Number = int | Annotated[float, Field(allow_inf_nan=False)]

_DATE = "ISO date, such as 2026-11-29."
_DATETIME = "ISO 8601 date and time; without an offset it is local time in its zone."
_CALENDAR = "add_calendar: to add; negative goes back."
_ELAPSED = "add_elapsed: to add; negative goes back."
_ZONE = "IANA zone, such as Asia/Shanghai or UTC."


class DatetimeConfig(ToolConfig):
    default_timezone: str = Field(
        default="UTC", description="IANA zone that holds where a call names none."
    )

    @field_validator("default_timezone")
    @classmethod
    def is_a_zone(cls, name: str) -> str:
        if name not in zone_names():
            raise ValueError(_("%(name)s is not an IANA zone.") % {"name": repr(name)})
        return name


class DatetimeInput(OperationInput):
    """One flat object; each operation takes its own part of it and refuses the rest."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=False
    )

    operations = OPERATION_ARGUMENTS

    operation: OperationName = Field(description="What to do; it says which arguments it takes.")
    tz: str | None = Field(default=None, description=_ZONE)
    date: str | None = Field(default=None, description=_DATE)
    datetime: str | None = Field(default=None, description=_DATETIME)
    local: str | None = Field(default=None, description="Wall clock time without an offset.")
    from_: str | None = Field(
        default=None,
        alias="from",
        description="convert: zone of a datetime without offset. diff_seconds: datetime. "
        "days_between: date.",
    )
    from_tz: str | None = Field(default=None, description="Zone of `from` without an offset.")
    to: str | None = Field(
        default=None, description="convert: zone. diff_seconds: datetime. days_between: date."
    )
    to_tz: str | None = Field(default=None, description="Zone of `to` without an offset.")
    years: int | None = Field(default=None, description=_CALENDAR)
    months: int | None = Field(default=None, description=_CALENDAR)
    weeks: int | None = Field(default=None, description=_CALENDAR)
    days: int | None = Field(default=None, description="add_calendar or business_days_add: to add.")
    hours: Number | None = Field(default=None, description=_ELAPSED)
    minutes: Number | None = Field(default=None, description=_ELAPSED)
    seconds: Number | None = Field(
        default=None, description="add_elapsed: to add. from_unix: since 1970."
    )
    holidays: list[str] | None = Field(default=None, description="ISO dates that are no work days.")
    birth: str | None = Field(default=None, description=_DATE)
    on: str | None = Field(default=None, description=_DATE)
    text: str | None = Field(default=None, description="Phrase in English or Chinese, or a date.")
    format: str | None = Field(default=None, description="strftime, such as %A, %d %B %Y %H:%M.")


class DatetimeOutput(ToolOutput):
    result: bool | int | float | str
