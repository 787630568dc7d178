"""The tool type `template`."""

import json
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.bounded.failures import LIMIT, Refused
from tools.bounded.limit_messages import limit_failure
from tools.bounded.parent import Limits, run_bounded
from tools.enums import Risk
from tools.errors import ToolFailure
from tools.registry import register
from tools.schemas import Annotations, Plan, ToolContext, ToolResult
from tools.tool_type import ToolType
from tools.types.template.schemas import TemplateConfig, TemplateInput, TemplateOutput

GRACE_SECONDS = 3.0  # for starting the process
JSON_CHARS = 12  # of one character in the child's JSON, at worst: an escaped pair of surrogates


@register
class TemplateType(ToolType[TemplateConfig, TemplateInput]):
    """Pure computation."""

    name = "template"
    label = gettext_lazy("Fill a template")
    config_model = TemplateConfig
    output_model = TemplateOutput

    def input_model(self, config: TemplateConfig) -> type[TemplateInput]:
        return TemplateInput

    def timeout_seconds(self, config: TemplateConfig) -> float:
        return config.timeout_ms / 1000 + GRACE_SECONDS

    def description(self, config: TemplateConfig) -> str:
        return (
            "Fills a Jinja template with values, exactly; use it for the same text with other "
            "values, for lists and tables, and where nothing may be left out or reworded.\n"
            "All of Jinja's tags, filters and tests work, but for: include, import and extends "
            "(there is one template), the filter random, lipsum, attributes that begin with an "
            "underscore, and methods that change a list or an object. Values are data: a template "
            "inside one is not filled. range is at most 100000. What is no value (a function, or "
            "a filter's generator without |list or |join) can't be printed.\n"
            "Without undefined=empty, a name that has no value is an error; {{ x|default('-') }} "
            "always works. Nothing is escaped without escape=html.\n"
            f"At most {config.max_template_chars} characters of template, "
            f"{config.max_values_chars} of values, {config.max_output_chars} of result, "
            f"{config.timeout_ms} ms.\n"
            "A failure tells the line where there is one. Error codes: syntax, undefined, "
            "forbidden, value (something in it can't be computed), limit, busy (try again later)."
        )

    def annotations(
        self, config: TemplateConfig, arguments: TemplateInput | None = None
    ) -> Annotations:
        return Annotations(read_only=True, idempotent=True, risk=Risk.L0)

    def execute(self, plan: Plan, config: TemplateConfig, context: ToolContext) -> ToolResult:
        return ToolResult(data={"result": run(self.parse(plan, config), config)})


def run(arguments: TemplateInput, config: TemplateConfig) -> str:
    """Raises `ToolFailure`: syntax, undefined, forbidden, value, limit, busy."""
    _check_sizes(arguments, config)
    limits = Limits(
        seconds=config.timeout_ms / 1000, output_chars=JSON_CHARS * config.max_output_chars + 1_000
    )
    told = {
        "template": arguments.template,
        "values": arguments.values,
        "strict": arguments.undefined == "error",
        "escape_html": arguments.escape == "html",
        "max_chars": config.max_output_chars,
    }
    try:
        filled: str = run_bounded("tools.types.template.fill:fill", told, limits)
    except Refused as refused:
        raise _failure(refused) from refused
    return filled


def _check_sizes(arguments: TemplateInput, config: TemplateConfig) -> None:
    if len(arguments.template) > config.max_template_chars:
        message = _("The template is longer than %(max)d characters.")
        raise ToolFailure(message % {"max": config.max_template_chars}, code=LIMIT)
    if len(json.dumps(arguments.values, ensure_ascii=False)) > config.max_values_chars:
        message = _("The values are longer than %(max)d characters.")
        raise ToolFailure(message % {"max": config.max_values_chars}, code=LIMIT)


def _failure(refused: Refused) -> ToolFailure:
    if refused.code == LIMIT:
        return limit_failure(refused)
    facts: dict[str, Any] = json.loads(refused.detail)
    messages = {
        "syntax": _("The template can't be read: %(reason)s."),
        "undefined": _("A value is missing: %(reason)s."),
        "forbidden": _("The sandbox does not allow this: %(reason)s."),
        "value": _("The template can't be filled: %(reason)s."),
    }
    message = messages[refused.code] % {"reason": facts["reason"].rstrip(".")}
    if facts["line"] is None:
        return ToolFailure(message, code=refused.code)
    line = _("Line %(line)d.") % facts
    return ToolFailure(f"{message} {line}", code=refused.code, line=facts["line"])
