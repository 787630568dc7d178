"""How decisions and statuses look on the operator's pages."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import row_link
from tools.directory import agent_directory
from tools.enums import FAILED_STATUSES, CallStatus, DecisionOutcome, DraftState, LogPayload
from tools.models import ToolCall
from tools.registry import find_tool_type
from tools.schemas import JSON

type Link = Callable[[str, str], SafeString | str]

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


def state_label(state: DraftState) -> Any:
    """For operators, who are not the ones that it waits for."""
    return _("waiting") if state == DraftState.DRAFT else state.label


def decision_line(call: ToolCall) -> str:
    """In one line of plain words; which gate and rule said it stands on the page of the call."""
    decision = call.decision
    if not decision:
        return str(_("refused before the gates")) if is_refused_before_gates(call) else "–"
    outcome = DecisionOutcome(decision["outcome"])
    if outcome == DecisionOutcome.ALLOW:
        return str(outcome.label)
    return f"{outcome.label}: {decision['reason']}"


def is_refused_before_gates(call: ToolCall) -> bool:
    """It could not be planned, by what its own type allows: no gate was asked."""
    return not call.decision and call.status in FAILED_STATUSES


def decision_of_call(call: ToolCall) -> SafeString | str:
    if not is_refused_before_gates(call):
        return decision_list(call.told_decision)
    said = _("Refused before any gate was asked, by the tool's own rules. Nothing was done.")
    return format_html(
        "<p>{}</p><p><code>{}</code> {}</p>", said, call.error_code, call.error_message
    )


def decision_list(decision: JSON | None) -> SafeString | str:
    """Every gate's answer, a row each; the one that decided is marked."""
    if not decision:
        return "–"
    context = {"rows": decision_rows(decision)}
    return mark_safe(render_to_string("admin/tools/decision.html", context))  # noqa: S308  (our template)


def decision_rows(decision: JSON, link: Link = row_link) -> list[JSON]:
    """`link`: how the row of what the person had allowed is looked up."""
    return [
        {
            "gate": reason["gate"],
            "outcome": DecisionOutcome(reason["outcome"]).label,
            "colour": OUTCOME_COLOURS[reason["outcome"]],
            "reason": reason["reason"],
            "rule": reason["reason_code"],
            "leaves": [link(leave["kind"], leave["id"]) for leave in reason.get("leaves", ())],
            "decides": _decides(reason, decision),
        }
        for reason in decision.get("reasons", [decision])
    ]


def _decides(reason: JSON, decision: JSON) -> bool:
    """Where every gate let it pass only a person's word decided, if any was needed."""
    if reason["gate"] != decision["gate"]:
        return False
    return reason["outcome"] != DecisionOutcome.ALLOW or "leaves" in reason


def keeps_content(type_name: str) -> bool:
    """Whether the log may hold what such a call is about; a draft of it is no different."""
    tool_type = find_tool_type(type_name)
    return tool_type is not None and tool_type.log_payload is not LogPayload.NONE


def agent_link(agent_id: UUID | None) -> SafeString | str:
    """By its name: operators gave it."""
    if agent_id is None:
        return "–"
    return row_link("agent", agent_id, agent_directory().all_names().get(agent_id, ""))
