"""The tool type `encode`."""

from django.utils.translation import gettext_lazy

from tools.enums import Risk
from tools.operations import describe_operations
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.encode.digests import ALGORITHMS, LEGACY
from tools.types.encode.operation_table import OPERATION_ARGUMENTS
from tools.types.encode.operations import run
from tools.types.encode.schemas import EncodeConfig, EncodeInput, EncodeOutput

_RANDOM = frozenset({"uuid4", "uuid7"})


@register
class EncodeType(ToolType[EncodeConfig, EncodeInput]):
    """Pure computation but for random UUIDs."""

    name = "encode"
    label = gettext_lazy("Encodings and digests")
    config_model = EncodeConfig
    output_model = EncodeOutput
    default_timeout_seconds = 5.0

    def input_model(self, config: EncodeConfig) -> type[EncodeInput]:
        return EncodeInput

    def description(self, config: EncodeConfig) -> str:
        return (
            "Encodes, decodes, digests, makes UUIDs; always use it instead of doing it letter by "
            "letter. Give `operation` and its arguments:\n"
            f"{describe_operations(OPERATION_ARGUMENTS)}\n"
            "data (and secret_key) are UTF-8 text unless data_as (key_as) says hex or base64. What "
            "is decoded is `result` as text with `result_as` text; bytes that are no text come as "
            "hex or as bytes_as says, and `result_as` names it.\n"
            f"Algorithms: {', '.join(ALGORITHMS)}; {', '.join(LEGACY)} only for checksums of old, "
            "they are broken. An encoding hides nothing: it is no encryption.\n"
            f"At most {config.max_chars} characters in all. Error codes: encoding (not what the "
            "operation decodes), algorithm, empty, limit."
        )

    def annotations(
        self, config: EncodeConfig, arguments: EncodeInput | None = None
    ) -> Annotations:
        same = arguments is not None and arguments.operation not in _RANDOM
        return Annotations(read_only=True, idempotent=same, risk=Risk.L0)

    def execute(self, plan: Plan, config: EncodeConfig, context: ToolContext) -> ToolResult:
        encoded = run(self.parse(plan, config), config.max_chars)
        return ToolResult(
            data={"result": encoded.result, "result_as": encoded.result_as},
            warnings=list(encoded.warnings),
        )
