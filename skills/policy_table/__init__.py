"""What a person and an agent may do right now, and why: judged by the real gates, nothing runs."""

from skills.policy_table.access import SEE_OTHERS, look_at
from skills.policy_table.question import PolicyQuestion
from skills.policy_table.table import PolicyRow, PolicyTable

__all__ = ["SEE_OTHERS", "PolicyQuestion", "PolicyRow", "PolicyTable", "look_at"]
