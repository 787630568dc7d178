"""Which calls a standing approval covers, and which none could ever cover."""

from collections.abc import Iterable

from config.base.digests import canonical_digest
from tools.enums import Risk
from tools.gates.prepared import PreparedCall
from tools.models import StandingApproval, Tool
from tools.registry import AnyToolType
from tools.schemas import Annotations, CallContext
from tools.tool_type import ToolConfig

MOST_RISK = Risk.L2


def may_stand(annotations: Annotations) -> bool:
    """Whether an approval of such a call can stand at all."""
    return (
        annotations.risk <= MOST_RISK
        and not annotations.destructive
        and not annotations.needs_consent
        and not annotations.asks_each_time
    )


def may_be_covered(call: PreparedCall, context: CallContext) -> bool:
    """A call of an agent for its person, who is there, that lacks nothing."""
    return (
        context.actor.is_agent
        and not context.unattended
        and may_stand(call.annotations)
        and call.plan.risk <= MOST_RISK
        and not call.plan.missing_fields
    )


def conditions_of(tool: Tool, tool_type: AnyToolType, config: ToolConfig) -> str:
    """Digest of a tool's settings, and of what its type says that they allow at worst."""
    return canonical_digest(
        {
            "tool": [str(tool.pk), tool.slug, tool.type],
            "config": config.model_dump(mode="json"),
            "annotations": tool_type.annotations(config).as_json(),
        }
    )


def covers(approval: StandingApproval, annotations: Annotations, demands: Iterable[str]) -> bool:
    """Such a call, asked for by nothing that its person was not told of."""
    same_kind: bool = approval.annotations == annotations.as_json()
    return same_kind and set(demands) <= set(approval.reasons)
