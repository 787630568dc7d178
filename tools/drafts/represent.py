"""A draft as clients see it: API, streams, pages and the model's response share this shape."""

from tools.approvals.offer import is_offered
from tools.models import ActionDraft
from tools.schemas import JSON


def draft_json(draft: ActionDraft) -> JSON:
    plan = draft.plan
    return {
        "id": str(draft.pk),
        "kind": draft.kind,
        "version": draft.version,
        "state": draft.state,
        "tool": draft.call.tool_slug,
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
        "expires_at": draft.expires_at.isoformat().replace("+00:00", "Z"),
        "rememberable": is_offered(draft),
        "decision": draft.call.told_decision,
        "proposed_arguments": draft.proposed_arguments,
        "executed_arguments": draft.executed_arguments,
        "reason": draft.reason,
        "reason_text": draft.reason_text,
        "error": _error(draft),
        "receipt": draft.receipt,
        "run_id": str(draft.call.run_id) if draft.call.run_id else None,
        "conversation_id": str(draft.call.conversation_id) if draft.call.conversation_id else None,
    }


def _error(draft: ActionDraft) -> JSON | None:
    if not draft.error_code:
        return None
    return {"code": draft.error_code, "message": draft.error_message}
