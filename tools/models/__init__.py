from tools.models.approval import StandingApproval
from tools.models.call import ToolCall, ToolCallContent
from tools.models.draft import ActionDraft, ActionDraftVersion
from tools.models.secret import Secret
from tools.models.tool import ShippedTool, Tool
from tools.models.usage import ToolDay, UserBudget, UserDay

__all__ = [
    "ActionDraft",
    "ActionDraftVersion",
    "Secret",
    "ShippedTool",
    "StandingApproval",
    "Tool",
    "ToolCall",
    "ToolCallContent",
    "ToolDay",
    "UserBudget",
    "UserDay",
]
