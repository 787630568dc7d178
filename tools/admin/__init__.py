"""The operator's pages of tools: the rows, the log of their calls, the drafts that wait, standing
approvals, usage, secrets."""

from tools.admin import (  # noqa: F401  (registers them)
    approvals,
    calls,
    drafts,
    secrets,
    usage,
)
from tools.admin.tool import admin  # noqa: F401  (as above)
