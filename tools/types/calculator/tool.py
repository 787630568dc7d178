"""The tool type `calculator`."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from tools.enums import Risk
from tools.errors import fail
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolConfig, ToolInput, ToolOutput, ToolType
from tools.types.calculator.evaluate import evaluate
from tools.types.calculator.functions import CONSTANTS, FUNCTIONS
from tools.types.calculator.limits import MAX_CHARS, SHOWN_DIGITS
from tools.types.calculator.render import render


class CalculatorConfig(ToolConfig):
    max_expression_chars: int = Field(
        default=MAX_CHARS,
        ge=10,
        le=MAX_CHARS,
        description="Longer expressions are refused.",
    )


class CalculatorInput(ToolInput):
    expression: str = Field(
        description="What to compute, such as (19.99*3 + 5)*19% or sqrt(2)**10 or 2**0.5 < 1.5."
    )


class CalculatorOutput(ToolOutput):
    result: str


@register
class CalculatorType(ToolType[CalculatorConfig, CalculatorInput]):
    """Pure computation: the same expression gives the same answer for ever."""

    name = "calculator"
    label = gettext_lazy("Calculator")
    config_model = CalculatorConfig
    output_model = CalculatorOutput
    default_timeout_seconds = 5.0

    def input_model(self, config: CalculatorConfig) -> type[CalculatorInput]:
        return CalculatorInput

    def description(self, config: CalculatorConfig) -> str:
        return (
            "Computes one arithmetic expression exactly; where the exact result has no short "
            f"form, with {SHOWN_DIGITS} significant digits. Always use it instead of mental "
            "arithmetic.\n"
            "Operators: + - * / // (floor) % (modulo before an operand, else percent: 15% of 80, "
            "200*(1+5%); 200+10% is 200.1) ** or ^ (power) n! << >> and comparisons "
            "< <= > >= == != (result true or false).\n"
            f"Functions: {', '.join(FUNCTIONS)}.\n"
            f"Constants: {', '.join(CONSTANTS)}.\n"
            "log(x) is the natural logarithm, log(x, b) has base b. Angles are radians: "
            "sin(radians(30)). round(x, n) rounds halves away from zero.\n"
            f"At most {config.max_expression_chars} characters. No variables, text, units or "
            "implicit multiplication (write 2*pi). Error codes: empty, syntax, name, forbidden, "
            "domain, divzero, limit."
        )

    def annotations(
        self, config: CalculatorConfig, arguments: CalculatorInput | None = None
    ) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: CalculatorConfig, context: ToolContext) -> ToolResult:
        expression = self.parse(plan, config).expression
        return ToolResult(data={"result": calculate(expression, config.max_expression_chars)})


def calculate(expression: str, max_chars: int = MAX_CHARS) -> str:
    """Raises `ToolFailure`: empty, syntax, name, forbidden, domain, divzero, limit."""
    if not expression.strip():
        fail("empty", _("There is nothing to compute."))
    if len(expression) > max_chars:
        fail("limit", _("The expression is longer than %(max)d characters.") % {"max": max_chars})
    return render(evaluate(expression))
