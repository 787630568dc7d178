"""Using a standing approval: reserved and counted once for each call, whatever is repeated."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from config.base import audit
from config.base.moments import moment_for
from tools.decisions import Decision, Leave, Reason
from tools.enums import CallStatus, DecisionOutcome, LeaveKind
from tools.gates.approval import ApprovalGate
from tools.gates.cover import conditions_of, covers, may_be_covered
from tools.gates.prepared import PreparedCall
from tools.models import StandingApproval, ToolCall
from tools.models.approval import Held, StandingApprovalQuerySet
from tools.schemas import CallContext
from tools.telling import told

_NOT_DECIDED = (CallStatus.OPEN, CallStatus.RUNNING)


def with_standing_approval(
    decision: Decision,
    call: PreparedCall,
    context: CallContext,
    usable: Iterable[StandingApproval] | None = None,
) -> Decision:
    """The decision, in which a standing approval answers the approval gate if it alone asks:
    one of `usable`, where it is known already which there are for this tool.

    One that is revoked while a call is under way counts for no later one. Without a row in the
    ledger nothing is used: it says what would be.
    """
    asking = [one for one in decision.reasons if one.outcome != DecisionOutcome.ALLOW]
    if [one.gate for one in asking] != [ApprovalGate.name] or not _is_demand(asking[0]):
        return decision
    if not may_be_covered(call, context):
        return decision
    given = list(_candidates(call, context) if usable is None else usable)
    if not given:
        return decision
    approval = _approval_for(call, context, _covering(given, call, context))
    if approval is not None:
        return _with(decision, _answer(approval, context))
    if any(one.conditions != _conditions(call) for one in given):
        return _with(decision, _still_asks(asking[0]))
    return decision


def _is_demand(reason: Reason) -> bool:
    return reason.outcome == DecisionOutcome.NEEDS_CONFIRMATION


def usable_of_each(
    calls: Iterable[PreparedCall], context: CallContext
) -> dict[UUID, list[StandingApproval]]:
    """By tool, for calls that are not in the ledger; one query."""
    tools = {call.tool.pk for call in calls}
    found: dict[UUID, list[StandingApproval]] = {key: [] for key in tools}
    for one in _reaching(context, None).filter(tool_id__in=tools):
        if one.tool_id is not None:
            found[one.tool_id].append(one)
    return found


def _candidates(call: PreparedCall, context: CallContext) -> StandingApprovalQuerySet:
    """Whose use the call has is asked in the same statement: between two a twin may take the last
    one for both of them.
    """
    held: Held | None = None
    if call.row is not None:
        held = ToolCall.objects.filter(pk=call.row.pk).values("standing_approval")
    return _reaching(context, held).filter(tool_id=call.tool.pk)


def _reaching(context: CallContext, held: Held | None) -> StandingApprovalQuerySet:
    actor = context.actor
    usable = StandingApproval.objects.for_user(actor.user).usable(held=held)
    return usable.filter(
        Q(agent_id=None) | Q(agent_id=actor.agent_id),
        Q(conversation_id=None) | Q(conversation_id=actor.conversation_id),
    ).order_by("expires_at", "pk")


def _conditions(call: PreparedCall) -> str:
    return conditions_of(call.tool, call.tool_type, call.config)


def _covering(
    given: Sequence[StandingApproval], call: PreparedCall, context: CallContext
) -> list[StandingApproval]:
    demands = [code for code, _reason in ApprovalGate.demands(call, context)]
    conditions = _conditions(call)
    return [
        one
        for one in given
        if one.conditions == conditions and covers(one, call.annotations, demands)
    ]


def _approval_for(
    call: PreparedCall, context: CallContext, covering: Sequence[StandingApproval]
) -> StandingApproval | None:
    if not covering or call.row is None:
        return next(iter(covering), None)
    with transaction.atomic():
        if context.fence:
            context.fence()
        return _reserve(call.row, covering, context)


def _reserve(
    row: ToolCall, covering: Sequence[StandingApproval], context: CallContext
) -> StandingApproval | None:
    """The call's lock lets its twins come here one after the other: one takes for all."""
    locked = ToolCall.objects.select_for_update().filter(pk=row.pk, status__in=_NOT_DECIDED)
    found = locked.values_list("standing_approval_id", flat=True)
    for held in found:
        for approval in sorted(covering, key=lambda one: one.pk != held):
            if approval.pk == held and _is_in_force(approval):
                return approval
            if _take(approval):
                _note(row, approval, context)
                return approval
    return None


def _is_in_force(approval: StandingApproval) -> bool:
    return StandingApproval.objects.in_force().filter(pk=approval.pk).exists()


def _take(approval: StandingApproval) -> bool:
    """One use, if there still is one: of racing calls the last of it is one's alone."""
    taken = (
        StandingApproval.objects.usable()
        .filter(pk=approval.pk)
        .update(uses=F("uses") + 1, uses_left=F("uses_left") - 1, last_used_at=Now())
    )
    if taken:
        approval.refresh_from_db(fields=["uses", "uses_left", "last_used_at"])
    return bool(taken)


def _note(row: ToolCall, approval: StandingApproval, context: CallContext) -> None:
    ToolCall.objects.filter(pk=row.pk).update(standing_approval=approval)
    row.standing_approval = approval
    audit.record(
        "approval.used",
        audit.Outcome.ALLOWED,
        actor=context.actor,
        target=("standing_approval", approval.pk),
        tool=row.tool_slug,
        metadata={"tool_call": str(row.pk), "uses": approval.uses, "uses_left": approval.uses_left},
    )


# --- In words ---


_THEIRS_COVERS = gettext_lazy(
    "The standing approval …%(id)s of %(person)s covers it, until %(time)s; %(left)s."
)
_THEIRS_IS_VOID = gettext_lazy(
    "The standing approval of %(person)s is void: the tool’s settings have changed since."
)


def _with(decision: Decision, answer: Reason) -> Decision:
    reasons = (answer if one.gate == answer.gate else one for one in decision.reasons)
    return Decision(tuple(reasons))


def _answer(approval: StandingApproval, context: CallContext) -> Reason:
    leave = Leave(
        kind=LeaveKind.STANDING_APPROVAL,
        id=approval.pk,
        expires_at=approval.expires_at,
        uses_left=approval.uses_left,
    )
    text = told(
        _("Your standing approval …%(id)s covers it, until %(time)s; %(left)s."),
        _THEIRS_COVERS,
        id=str(approval.pk)[-8:],
        time=moment_for(context.actor.user, approval.expires_at),
        left=_left(approval),
    )
    allow = DecisionOutcome.ALLOW
    return Reason(ApprovalGate.name, allow, "standing_approval", text, leaves=(leave,))


def _left(approval: StandingApproval) -> str:
    if approval.uses_left is None:
        return _("as often as needed")
    n = approval.uses_left
    return ngettext("%(n)s use left", "%(n)s uses left", n) % {"n": n}


def _still_asks(demand: Reason) -> Reason:
    text = told(
        _("Your standing approval is void: the tool’s settings have changed since."),
        _THEIRS_IS_VOID,
    )
    return replace(demand, reason_code="standing_approval_void", reason=f"{demand.reason} {text}")
