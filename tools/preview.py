"""What the gates would say of a call; nothing runs and nothing is written."""

from config.base.actor import Actor, Origin
from config.base.models import User
from tools.decisions import Decision
from tools.execution import prepare
from tools.gates import judge
from tools.models import Tool, ToolCall
from tools.schemas import JSON, CallContext

OPERATOR = "operator"


def decide_only(tool: Tool, arguments: JSON, context: CallContext) -> Decision:
    """Validate, plan and judge, without a row in the ledger.

    Raises `ToolFailure` when the call can't even be planned.
    """
    call = ToolCall(tool=tool, tool_slug=tool.slug, tool_type=tool.type)
    return judge(prepare(tool, arguments, call, context), context)


def direct_actor(user: User, origin: Origin) -> Actor:
    """A person who calls a tool themselves. Their role is that of their only project, if any."""
    return Actor(user=user, origin=origin, role=_role_of(user))


def _role_of(user: User) -> str:
    if user.is_staff:
        return OPERATOR
    roles = user.memberships.values_list("role", flat=True)[:2]
    return roles[0] if len(roles) == 1 else ""
