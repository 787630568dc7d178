"""The tool type `text`."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.enums import Risk
from tools.operations import describe_operations
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.text.operation_table import OPERATION_ARGUMENTS
from tools.types.text.operations import run
from tools.types.text.schemas import TextConfig, TextInput, TextOutput

GRACE_SECONDS = 3.0  # for starting the process


@register
class TextType(ToolType[TextConfig, TextInput]):
    """Pure computation."""

    name = "text"
    label = gettext_lazy("Work on text")
    config_model = TextConfig
    output_model = TextOutput

    def input_model(self, config: TextConfig) -> type[TextInput]:
        return TextInput

    def timeout_seconds(self, config: TextConfig) -> float:
        return config.pattern_timeout_ms / 1000 + GRACE_SECONDS

    def description(self, config: TextConfig) -> str:
        return (
            "Works on a text exactly; use it instead of counting, searching or comparing "
            "yourself. Give `operation` and its arguments:\n"
            f"{describe_operations(OPERATION_ARGUMENTS)}\n"
            "pattern is a Python regular expression, find plain text: give one of them. Inline "
            "flags stand at the start: (?m) lets ^ and $ match at lines, (?s) lets . match a line "
            "feed; ignore_case is (?i). case is upper, lower, title or fold.\n"
            "Words are what stands between spaces and holds a letter or digit; each Chinese "
            "character and each kana counts as one word, as in a word processor: there is no "
            "dictionary, so other scripts without spaces, such as Thai, count as one word.\n"
            f"At most {config.max_text_chars} characters a text and a result, "
            f"{config.max_pattern_chars} a pattern, {config.max_matches} matches (extract leaves "
            "the rest out and warns; replace and split refuse), "
            f"{config.pattern_timeout_ms} ms.\n"
            "Error codes: empty (nothing to look for), pattern (not valid), replacement (not "
            "valid), group (the pattern has none such), limit (too long, too many or too "
            "slow), busy (try again later)."
        )

    def annotations(self, config: TextConfig, arguments: TextInput | None = None) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: TextConfig, context: ToolContext) -> ToolResult:
        answer = run(self.parse(plan, config), config)
        if not answer.truncated:
            return ToolResult(data={"result": answer.result})
        return ToolResult(
            data={"result": answer.result},
            metadata={"truncated": True},
            warnings=[_("There are more matches; narrow the pattern or shorten the text.")],
        )
