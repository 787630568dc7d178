"""A draft as clients see it: API, streams, pages and the model's response share this shape."""

from typing import NamedTuple

from tools.approvals.offer import is_offered
from tools.enums import DraftState
from tools.log.masking import cut, mask
from tools.models import ActionDraft, ToolCall
from tools.registry import find_tool_type
from tools.schemas import JSON


def draft_json(draft: ActionDraft) -> JSON:
    plan = draft.plan
    return {
        "id": str(draft.pk),
        "kind": draft.kind,
        "version": draft.version,
        "state": draft.state,
        "tool": draft.call.tool_slug,
        "tool_name": names_of(draft.call).tool,
        "tool_type": draft.call.tool_type,
        "title": plan["title"],
        "scope": plan["scope"],
        "preview": plan["preview"],
        "arguments": draft.arguments,
        "editable": plan["editable"],
        "missing_fields": plan["missing_fields"],
        "targets": plan["targets"],
        "sources": plan["sources"],
        "reversible": plan["reversible"],
        "risk": plan["risk"],
        "effect": draft.call.effect,
        "expires_at": draft.expires_at.isoformat().replace("+00:00", "Z"),
        "rememberable": is_offered(draft),
        "decision": draft.call.told_decision,
        "proposed_arguments": draft.proposed_arguments,
        "executed_arguments": draft.executed_arguments,
        "reason": draft.reason,
        "reason_text": draft.reason_text,
        "error": _error(draft),
        "receipt": draft.receipt,
        "log_id": str(draft.call_id),
        "run_id": str(draft.call.run_id) if draft.call.run_id else None,
        "conversation_id": str(draft.call.conversation_id) if draft.call.conversation_id else None,
    }


class Names(NamedTuple):
    tool: str  # as its operator called it; of one that is gone its slug
    type: str  # in words; empty where it says no more than the tool's name


def names_of(call: ToolCall) -> Names:
    tool_type = find_tool_type(call.tool_type)
    tool = call.tool.name if call.tool else call.tool_slug
    words = str(tool_type.label) if tool_type else call.tool_type
    return Names(tool, "" if words == tool else words)


def answer_json(draft: ActionDraft) -> JSON | None:
    """What the tool answered, for its owner; masked and cut as in the log."""
    if draft.state != DraftState.EXECUTED or not draft.result:
        return None
    data, truncated = cut(mask(draft.result["data"]))
    warnings = draft.result.get("warnings", [])
    return {"data": data, "truncated": truncated, "warnings": mask(warnings)}


def _error(draft: ActionDraft) -> JSON | None:
    if not draft.error_code:
        return None
    return {"code": draft.error_code, "message": draft.error_message}
