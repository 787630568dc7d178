"""What became of a standing approval, for lists."""

from datetime import datetime

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from config.base.errors import GatehouseError
from tools.configs import load_config
from tools.gates.cover import conditions_of
from tools.models import StandingApproval
from tools.registry import get_tool_type


class ApprovalState(TextChoices):
    ACTIVE = "active", _("in force")
    REVOKED = "revoked", _("revoked")
    EXPIRED = "expired", _("expired")
    USED_UP = "used_up", _("used up")
    VOID = "void", _("void: the tool has changed")


def state_of(approval: StandingApproval, *, now: datetime) -> ApprovalState:
    """What ended it first: one that is over can still be taken back, which changes nothing."""
    if approval.uses_left == 0:
        return ApprovalState.USED_UP
    if approval.revoked_at and approval.revoked_at < approval.expires_at:
        return ApprovalState.REVOKED
    if approval.expires_at <= now:
        return ApprovalState.EXPIRED
    return ApprovalState.ACTIVE if _conditions_hold(approval) else ApprovalState.VOID


def _conditions_hold(approval: StandingApproval) -> bool:
    tool = approval.tool
    if tool is None:
        return False
    try:
        config = load_config(tool.type, tool.config)
    except GatehouseError:
        return False
    return conditions_of(tool, get_tool_type(tool.type), config) == approval.conditions
