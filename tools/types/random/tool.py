"""The tool type `random`."""

from django.utils.translation import gettext_lazy

from tools.enums import Risk
from tools.operations import describe_operations
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.random.operation_table import OPERATION_ARGUMENTS
from tools.types.random.operations import run
from tools.types.random.schemas import RandomConfig, RandomInput, RandomOutput


@register
class RandomType(ToolType[RandomConfig, RandomInput]):
    """Pure chance; with a seed the same for ever."""

    name = "random"
    label = gettext_lazy("Random draws")
    config_model = RandomConfig
    output_model = RandomOutput
    default_timeout_seconds = 5.0

    def input_model(self, config: RandomConfig) -> type[RandomInput]:
        return RandomInput

    def description(self, config: RandomConfig) -> str:
        return (
            "Draws at random; always use it instead of picking something yourself. Give "
            "`operation` and its arguments:\n"
            f"{describe_operations(OPERATION_ARGUMENTS)}\n"
            "Without `seed` the numbers come from the system's cryptographic source and differ "
            "each time. With `seed` (a whole number or a text) every operation is repeatable for "
            "ever (Mersenne Twister, Python's random.Random(seed).random()): for drawings that "
            "others can check, never for secrets.\n"
            f"At most {config.max_items} items and {config.max_count} draws in a call. Error "
            "codes: empty (no items), range (min, max or sides), count (below 1, or more than "
            "there are), limit."
        )

    def annotations(
        self, config: RandomConfig, arguments: RandomInput | None = None
    ) -> Annotations:
        same = arguments is not None and arguments.seed is not None
        return Annotations(read_only=True, idempotent=same, risk=Risk.L0)

    def execute(self, plan: Plan, config: RandomConfig, context: ToolContext) -> ToolResult:
        arguments = self.parse(plan, config)
        result = run(arguments, config)
        data = {"result": result, "seeded": arguments.seed is not None}
        if arguments.operation == "dice":
            data["total"] = sum(result)
        return ToolResult(data=data)
