"""Drafts that nobody decided in time: by the database's clock, when read and by the sweep."""

import logging

from django.db import transaction
from django.db.models.functions import Now

from tools.drafts.endings import close_dismissed
from tools.drafts.rows import lock_draft
from tools.enums import DismissReason
from tools.models import ActionDraft
from tools.models.draft import WAITING

log = logging.getLogger(__name__)


def expire_if_due(draft: ActionDraft) -> bool:
    """Within the transaction that holds the draft, before anything is decided about it."""
    due = ActionDraft.objects.filter(pk=draft.pk, state__in=WAITING, expires_at__lte=Now())
    if not due.exists():
        return False
    close_dismissed(draft, DismissReason.EXPIRED)
    return True


def expire_due_drafts(limit: int = 100) -> int:
    """The sweep's part: each in its own transaction, and one that fails stops no other."""
    due = ActionDraft.objects.filter(state__in=WAITING, expires_at__lte=Now())
    expired = 0
    for pk in due.order_by("expires_at").values_list("pk", flat=True)[:limit]:
        try:
            with transaction.atomic():
                draft = lock_draft(pk)
                expired += bool(draft and expire_if_due(draft))
        except Exception:
            log.exception("the draft %s could not expire; the next sweep tries again", pk)
    return expired
