"""Where a standing approval is offered: with a call whose like it would cover."""

from tools.enums import DraftKind, DraftState
from tools.errors import ToolFailure
from tools.gates import ApprovalGate
from tools.gates.cover import may_stand
from tools.models import ActionDraft
from tools.schemas import JSON
from tools.validation import validate_call


def is_offered(draft: ActionDraft) -> bool:
    """Whether a standing approval that comes with confirming this would ever count."""
    call = draft.call
    if draft.kind != DraftKind.ACTION or draft.state != DraftState.DRAFT or draft.unattended:
        return False
    if call.agent_id is None or not _only_approval_asks(call.decision) or call.tool is None:
        return False
    try:
        tool_type, config, arguments = validate_call(call.tool, draft.arguments)
    except ToolFailure:
        return False
    return may_stand(tool_type.annotations(config, arguments))


def _only_approval_asks(decision: JSON | None) -> bool:
    reasons = (decision or {}).get("reasons", ())
    asking = [reason["gate"] for reason in reasons if reason["outcome"] != "allow"]
    return asking == [ApprovalGate.name]
