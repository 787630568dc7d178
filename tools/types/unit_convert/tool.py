"""The tool type `unit_convert`."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import ConfigDict, Field, StrictFloat, StrictInt, StrictStr

from tools.enums import Risk
from tools.errors import fail
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolConfig, ToolInput, ToolOutput, ToolType
from tools.types.unit_convert.convert import convert
from tools.types.unit_convert.limits import (
    MAX_EXPONENT,
    MAX_NUMBER_CHARS,
    MAX_UNIT_CHARS,
    SHOWN_DIGITS,
)


class UnitConvertConfig(ToolConfig):
    max_unit_chars: int = Field(
        default=100, ge=10, le=MAX_UNIT_CHARS, description="Longer units are refused."
    )
    max_number_chars: int = Field(
        default=100, ge=10, le=MAX_NUMBER_CHARS, description="Longer numbers are refused."
    )


class UnitConvertInput(ToolInput):
    model_config = ConfigDict(
        extra="forbid", frozen=True, serialize_by_alias=True, validate_by_name=False
    )

    value: StrictStr | StrictInt | StrictFloat = Field(
        description="Decimal number, such as 72.5 or 3e8; as text, no digit is lost."
    )
    from_: str = Field(alias="from", description="Unit of the value, such as mile or kg*m/s^2.")
    to: str = Field(description="Unit of the result, such as km or N.")


class UnitConvertOutput(ToolOutput):
    result: str
    rounded: bool
    from_unit: str
    to_unit: str


@register
class UnitConvertType(ToolType[UnitConvertConfig, UnitConvertInput]):
    """Pure computation over the definitions of the pinned pint."""

    name = "unit_convert"
    label = gettext_lazy("Unit conversion")
    config_model = UnitConvertConfig
    output_model = UnitConvertOutput
    default_timeout_seconds = 10.0

    def input_model(self, config: UnitConvertConfig) -> type[UnitConvertInput]:
        return UnitConvertInput

    def description(self, config: UnitConvertConfig) -> str:
        return (
            "Converts a value from one unit of measurement to another; always use it instead of "
            "converting yourself. The result is exact, or has "
            f"{SHOWN_DIGITS} significant digits and `rounded` is true. `from_unit` and `to_unit` "
            "say how the units were understood: look whether you meant them.\n"
            "Units have English names or symbols with SI and binary prefixes (kilometer, km, kWh, "
            "MiB, ft, lb, psi) or common Chinese names (公里, 斤, 亩, 摄氏度, 平方米); case counts "
            "in symbols (mW, MW). Compounds: km/h, kg*m/s^2, m², W/(m*K), square feet, miles per "
            f"hour, 公里每小时; whole exponents to {MAX_EXPONENT}; brackets after / when more than "
            "one factor follows: L/(100 km).\n"
            "degC, degF, K are temperatures; delta_degC, delta_degF are differences; within a "
            "compound degC is a difference. ton is the US short ton, t (tonne, 吨) the metric one; "
            "gallon, pint, fluid_ounce are US, imperial_gallon and so on British; cal is the "
            "thermochemical calorie; 马力 is metric horsepower; year has 365.25 days. Angles are a "
            "dimension of their own (rpm converts to rad/s or turn/s, not to Hz). No currencies, "
            "no decibels, no clothing sizes.\n"
            f"At most {config.max_unit_chars} characters for a unit, {config.max_number_chars} for "
            "the number. Error codes: unit (not known or not written like one), dimension (the "
            "two do not measure the same), number (not a decimal number, or below absolute zero), "
            "limit."
        )

    def annotations(
        self, config: UnitConvertConfig, arguments: UnitConvertInput | None = None
    ) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: UnitConvertConfig, context: ToolContext) -> ToolResult:
        given = self.parse(plan, config)
        _check_lengths(given, config)
        converted = convert(given.value, given.from_, given.to)
        return ToolResult(
            data={
                "result": converted.result,
                "rounded": converted.rounded,
                "from_unit": converted.source,
                "to_unit": converted.target,
            }
        )


def _check_lengths(given: UnitConvertInput, config: UnitConvertConfig) -> None:
    longest = max(len(given.from_), len(given.to))
    if longest > config.max_unit_chars:
        fail("limit", _("A unit has at most %(max)d characters.") % {"max": config.max_unit_chars})
    digits = given.value.bit_length() / 4 if isinstance(given.value, int) else len(str(given.value))
    if digits > config.max_number_chars:
        fail(
            "limit",
            _("The number has at most %(max)d characters.") % {"max": config.max_number_chars},
        )
