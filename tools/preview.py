"""What somebody would be told of a call: planned and judged in their name; nothing runs."""

from dataclasses import replace
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from config.base import audit
from config.base.actor import Actor, Origin
from config.base.models import User
from tools.decisions import Decision
from tools.directory import agent_directory
from tools.enums import DecisionOutcome
from tools.errors import ToolFailure
from tools.execution import prepare
from tools.gates import judge
from tools.models import Tool, ToolCall
from tools.schemas import JSON, CallContext

OPERATOR = "operator"


def preview_decision(
    operator: Actor,
    user: User,
    tool: Tool,
    arguments: JSON,
    *,
    confirm: bool = False,
    agent_id: UUID | None = None,
) -> Decision:
    """What `user` would be told of this call, or the agent that acts for them. Audited in any case.

    Raises `ToolFailure` when it can't be planned for them, and `agent_not_allowed`.
    """
    actor = direct_actor(user, operator.origin)
    context = CallContext(actor=actor, idempotency_key=f"dry:{uuid4()}", confirm=confirm)
    try:
        if agent_id is not None:
            context = _through_agent(context, agent_id)
        decision = decide_only(tool, arguments, context)
    except ToolFailure as failure:
        _record(operator, user, tool, audit.Outcome.FAILED, failure.code)
        raise
    denied = decision.outcome == DecisionOutcome.DENY  # as `policy.decided` has it
    outcome = audit.Outcome.DENIED if denied else audit.Outcome.ALLOWED
    code, said = decision.decisive.reason_code, decision.outcome.value
    _record(operator, user, tool, outcome, code, decision=said)
    return decision


def _through_agent(context: CallContext, agent_id: UUID) -> CallContext:
    """As in a conversation with that agent: with its tools, and nobody has confirmed anything."""
    directory = agent_directory()
    if not directory.may_use(context.actor.user, agent_id):
        raise ToolFailure(_("This person may not use that agent."), code="agent_not_allowed")
    actor = replace(context.actor, agent_id=agent_id, origin=Origin.CHAT)
    return replace(context, actor=actor, tool_set=directory.tool_set(agent_id), confirm=False)


def _record(
    operator: Actor, user: User, tool: Tool, outcome: audit.Outcome, code: str, **facts: str
) -> None:
    audit.record(
        "policy.previewed",
        outcome,
        actor=operator,
        target=("user", user.pk),
        tool=tool.slug,
        reason_code=code,
        metadata=facts,
    )


def decide_only(tool: Tool, arguments: JSON, context: CallContext) -> Decision:
    """Plan and judge as the caller's own call would be, without a row in the ledger.

    Raises `ToolFailure` as they would be told: of what is not theirs no more than that there is
    no such thing.
    """
    call = ToolCall(tool=tool, tool_slug=tool.slug, tool_type=tool.type)
    prepared = prepare(tool, arguments, call, context)
    return judge(replace(prepared, row=None), context)


def direct_actor(user: User, origin: Origin) -> Actor:
    """A person who calls a tool themselves. Their role is that of their only project, if any."""
    return Actor(user=user, origin=origin, role=_role_of(user))


def _role_of(user: User) -> str:
    if user.is_staff:
        return OPERATOR
    roles = user.memberships.values_list("role", flat=True)[:2]
    return roles[0] if len(roles) == 1 else ""
