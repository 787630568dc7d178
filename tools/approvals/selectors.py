"""Reads of standing approvals."""

from uuid import UUID

from config.base.errors import NotFound
from config.base.models import User
from tools.models import StandingApproval
from tools.models.approval import StandingApprovalQuerySet


def list_approvals(user: User) -> StandingApprovalQuerySet:
    """Theirs, the newest first, with what their state depends on."""
    rows = StandingApproval.objects.for_user(user).select_related("tool")
    return rows.order_by("-created_at", "-pk")


def get_approval(user: User, approval_id: UUID) -> StandingApproval:
    """Raises `NotFound` for what is not this user's."""
    approval = list_approvals(user).filter(pk=approval_id).first()
    if approval is None:
        raise NotFound
    return approval


def count_usable_approvals(user: User) -> int:
    return StandingApproval.objects.for_user(user).usable().count()
