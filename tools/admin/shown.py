"""How decisions and statuses look on the operator's pages."""

from datetime import datetime
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from tools.enums import CallStatus, DecisionOutcome, DraftState, LogPayload
from tools.registry import find_tool_type
from tools.schemas import JSON

STATUS_COLOURS: dict[str, str] = {
    CallStatus.SUCCESS: "success",
    CallStatus.ERROR: "danger",
    CallStatus.TIMEOUT: "danger",
    CallStatus.DENIED: "danger",
    CallStatus.OUTCOME_UNKNOWN: "danger",
    CallStatus.NEEDS_CONFIRMATION: "warning",
    CallStatus.NEEDS_CONSENT: "warning",
    CallStatus.OPEN: "info",
    CallStatus.RUNNING: "info",
}
STATE_COLOURS: dict[str, str] = {
    DraftState.EXECUTED: "success",
    DraftState.FAILED: "danger",
    DraftState.OUTCOME_UNKNOWN: "danger",
    DraftState.DRAFT: "warning",
    DraftState.NEEDS_INPUT: "warning",
    DraftState.CONFIRMED: "info",
}
OUTCOME_COLOURS: dict[str, str] = {
    DecisionOutcome.ALLOW: "success",
    DecisionOutcome.NEEDS_CONFIRMATION: "warning",
    DecisionOutcome.NEEDS_CONSENT: "warning",
    DecisionOutcome.DENY: "danger",
}


def short_time(moment: datetime) -> SafeString:
    """For lists: on one line, to the second, in the reader's zone."""
    local = timezone.localtime(moment)
    text = f"{local:%Y-%m-%d %H:%M:%S}"
    return format_html('<time class="gh-time" datetime="{}">{}</time>', moment.isoformat(), text)


def state_label(state: DraftState) -> Any:
    """For operators, who are not the ones that it waits for."""
    return _("waiting") if state == DraftState.DRAFT else state.label


def decision_line(decision: JSON | None) -> str:
    """One line: what was decided, by which gate and rule."""
    if not decision:
        return "–"
    outcome = DecisionOutcome(decision["outcome"]).label
    return f"{outcome} ({decision['gate']}: {decision['reason_code']})"


def decision_list(decision: JSON | None) -> SafeString | str:
    """Every gate's answer, a row each; the one that decided is marked."""
    if not decision:
        return "–"
    context = {"rows": decision_rows(decision)}
    return mark_safe(render_to_string("admin/tools/decision.html", context))  # noqa: S308  (our template)


def decision_rows(decision: JSON) -> list[JSON]:
    return [
        {
            "gate": reason["gate"],
            "outcome": DecisionOutcome(reason["outcome"]).label,
            "colour": OUTCOME_COLOURS[reason["outcome"]],
            "reason": reason["reason"],
            "rule": reason["reason_code"],
            "decides": reason["gate"] == decision["gate"]
            and reason["outcome"] != DecisionOutcome.ALLOW,
        }
        for reason in decision.get("reasons", [decision])
    ]


def keeps_content(type_name: str) -> bool:
    """Whether the log may hold what such a call is about; a draft of it is no different."""
    tool_type = find_tool_type(type_name)
    return tool_type is not None and tool_type.log_payload is not LogPayload.NONE
