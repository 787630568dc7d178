"""The tool type `datetime`."""

from django.utils.translation import gettext_lazy

from tools.enums import Risk
from tools.operations import describe_operations
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.datetime.clock import now
from tools.types.datetime.operation_table import OPERATION_ARGUMENTS
from tools.types.datetime.operations import Present, run
from tools.types.datetime.schemas import DatetimeConfig, DatetimeInput, DatetimeOutput


@register
class DatetimeType(ToolType[DatetimeConfig, DatetimeInput]):
    """Pure computation but for the clock."""

    name = "datetime"
    label = gettext_lazy("Date and time")
    config_model = DatetimeConfig
    output_model = DatetimeOutput
    default_timeout_seconds = 5.0

    def input_model(self, config: DatetimeConfig) -> type[DatetimeInput]:
        return DatetimeInput

    def description(self, config: DatetimeConfig) -> str:
        return (
            "Dates, times and zones, exactly; always use it instead of working a date out "
            "yourself. Give `operation` and its arguments:\n"
            f"{describe_operations(OPERATION_ARGUMENTS)}\n"
            "Dates are ISO (2026-11-29), times RFC 3339 with an offset, zones IANA names; without "
            f"tz, local times are in {config.default_timezone}.\n"
            "parse reads ISO, numeric and written dates and phrases in English and Chinese: "
            "'tomorrow at 3pm', 'last Friday', 'in 2 weeks', 'last day of next month', "
            "明天下午三点, 下周一, 三天后, 下个月一号. Weeks start on Monday; 下周/上周 are "
            "calendar weeks, 'last Friday' is the most recent one, 'next Friday' the nearest to "
            "come; a date without a year is of this year. No holidays, no lunar dates, no "
            "recurrences.\n"
            "Error codes: empty, format, zone, range, gap (clocks skip that time), ambiguous (two "
            "readings: ask, or give the offset), unsupported, limit."
        )

    def annotations(
        self, config: DatetimeConfig, arguments: DatetimeInput | None = None
    ) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: DatetimeConfig, context: ToolContext) -> ToolResult:
        present = Present(now=now(), default_zone=config.default_timezone)
        return ToolResult(data={"result": run(self.parse(plan, config), present)})
