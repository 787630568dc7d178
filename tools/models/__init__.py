from tools.models.call import ToolCall, ToolCallContent
from tools.models.draft import ActionDraft, ActionDraftVersion
from tools.models.secret import Secret
from tools.models.tool import ShippedTool, Tool
from tools.models.usage import UserBudget, UserDay

__all__ = [
    "ActionDraft",
    "ActionDraftVersion",
    "Secret",
    "ShippedTool",
    "Tool",
    "ToolCall",
    "ToolCallContent",
    "UserBudget",
    "UserDay",
]
