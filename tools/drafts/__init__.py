"""Action drafts: tool calls that wait for a person, bound to exactly what that person was shown.

The states are in `tools.enums.DraftState`, their transitions in `confirm`, `decide` and `endings`.
Every change is one function, one transaction, one audit event, with the owner checked inside.
"""

from tools.drafts.confirm import confirm_draft
from tools.drafts.decide import (
    close_calls_of_run,
    dismiss_draft,
    replace_draft,
    resolve_draft,
    respond_to_draft,
    revise_draft,
)
from tools.drafts.expiry import expire_due_drafts
from tools.drafts.outside import carry_out, record_intent, recover_lost, settle_lost_calls
from tools.drafts.park import park

__all__ = [
    "carry_out",
    "close_calls_of_run",
    "confirm_draft",
    "dismiss_draft",
    "expire_due_drafts",
    "park",
    "record_intent",
    "recover_lost",
    "replace_draft",
    "resolve_draft",
    "respond_to_draft",
    "revise_draft",
    "settle_lost_calls",
]
