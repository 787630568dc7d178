"""Action drafts: tool calls that wait for a person, bound to exactly what that person was shown.

States and their transitions are in spec "One ActionDraft"; every change is one function here, one
transaction, one audit event, with the owner checked inside.
"""

from tools.drafts.confirm import confirm_draft
from tools.drafts.decide import (
    dismiss_draft,
    dismiss_drafts_of_run,
    resolve_draft,
    respond_to_draft,
    revise_draft,
)
from tools.drafts.outside import carry_out, record_intent, recover_lost, settle_lost_calls
from tools.drafts.park import expire_due_drafts, park

__all__ = [
    "carry_out",
    "confirm_draft",
    "dismiss_draft",
    "dismiss_drafts_of_run",
    "expire_due_drafts",
    "park",
    "record_intent",
    "recover_lost",
    "resolve_draft",
    "respond_to_draft",
    "revise_draft",
    "settle_lost_calls",
]
