"""The tool type `json_query`."""

import json
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.bounded.failures import LIMIT, Refused
from tools.bounded.parent import Limits, run_bounded
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.json_query.failures import failure_of
from tools.types.json_query.schemas import JsonQueryConfig, JsonQueryInput, JsonQueryOutput

GRACE_SECONDS = 3.0  # for starting the process
JSON_CHARS = 12  # of one character in the child's JSON, at worst: an escaped pair of surrogates


@register
class JsonQueryType(ToolType[JsonQueryConfig, JsonQueryInput]):
    """Pure computation."""

    name = "json_query"
    label = gettext_lazy("Query JSON")
    config_model = JsonQueryConfig
    output_model = JsonQueryOutput

    def input_model(self, config: JsonQueryConfig) -> type[JsonQueryInput]:
        return JsonQueryInput

    def timeout_seconds(self, config: JsonQueryConfig) -> float:
        return config.timeout_ms / 1000 + GRACE_SECONDS

    def description(self, config: JsonQueryConfig) -> str:
        return (
            "Takes what you ask for out of JSON with a JMESPath expression; use it instead of "
            "reading or counting long JSON yourself. Give `expression` and one of `data` (a JSON "
            "value) and `text` (JSON as text).\n"
            "Examples: a.b[0], people[*].name, people[?age >= `18` && city == 'Rome'].{who: name}, "
            'a[].b | [0], length(x), sum(items[*].price), max_by(x, &n), "key with spaces".x. '
            "Numbers and JSON literals stand in backticks, text in single quotes. What is not "
            "there is null, and nulls are left out of projections. There is no arithmetic.\n"
            f"At most {config.max_json_chars} characters of JSON, {config.max_expression_chars} "
            f"of expression, {config.max_result_chars} of result, {config.timeout_ms} ms.\n"
            "Error codes: empty (no expression), json (the text is not JSON), syntax, function "
            "(no such function), arity (too many or too few arguments), type (an argument's "
            "type), value (it can't be evaluated), limit, busy (try again later); where there is "
            "one, with the position in the expression (in the text, for json), counted from 0."
        )

    def annotations(
        self, config: JsonQueryConfig, arguments: JsonQueryInput | None = None
    ) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: JsonQueryConfig, context: ToolContext) -> ToolResult:
        return ToolResult(data={"result": run(self.parse(plan, config), config)})


def run(arguments: JsonQueryInput, config: JsonQueryConfig) -> Any:
    """Raises `ToolFailure`: empty, json, syntax, function, arity, type, value, limit, busy."""
    _check_sizes(arguments, config)
    limits = Limits(
        seconds=config.timeout_ms / 1000, output_chars=JSON_CHARS * (config.max_result_chars + 100)
    )
    told = {**arguments.model_dump(), "max_chars": config.max_result_chars}
    try:
        return run_bounded("tools.types.json_query.query:query", told, limits)
    except Refused as refused:
        raise failure_of(refused, arguments.expression) from refused


def _check_sizes(arguments: JsonQueryInput, config: JsonQueryConfig) -> None:
    if not arguments.expression.strip():
        raise ToolFailure(_("There is no expression."), code="empty")
    if len(arguments.expression) > config.max_expression_chars:
        message = _("The expression is longer than %(max)d characters.")
        raise ToolFailure(message % {"max": config.max_expression_chars}, code=LIMIT)
    text = arguments.text
    size = len(json.dumps(arguments.data, ensure_ascii=False) if text is None else text)
    if size > config.max_json_chars:
        message = _("The JSON is longer than %(max)d characters.")
        raise ToolFailure(message % {"max": config.max_json_chars}, code=LIMIT)
