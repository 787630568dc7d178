"""The trash page: what can be taken back, who deleted it and for how long it is kept."""

import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.base.models import User
from documents.history import agent_names, origin_label
from documents.models import DocumentVersion
from documents.selectors import list_trash
from documents.versions import TRASH_KEPT_FOR

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class TrashLine:
    document_id: uuid.UUID
    type: str
    title: str
    summary: str
    by_agent: bool
    agent_name: str  # "" when it is gone
    origin_label: str
    deleted_at: datetime
    left_label: str
    is_last_day: bool


def trash_context(request: HttpRequest, user: User) -> dict[str, Any]:
    now = timezone.now()
    page = Paginator(list_trash(user, now), PAGE_SIZE).get_page(request.GET.get("page"))
    names = agent_names(page)
    return {
        "page_obj": page,
        "lines": [_line(deletion, now, names) for deletion in page],
        "kept_days": TRASH_KEPT_FOR.days,
    }


def _line(deletion: DocumentVersion, now: datetime, names: Mapping[uuid.UUID, str]) -> TrashLine:
    left = deletion.created_at + TRASH_KEPT_FOR - now
    return TrashLine(
        document_id=deletion.document_id,
        type=deletion.type,
        title=deletion.title,
        summary=deletion.summary,
        by_agent=deletion.agent_id is not None,
        agent_name=names.get(deletion.agent_id, "") if deletion.agent_id else "",
        origin_label=origin_label(deletion.origin),
        deleted_at=deletion.created_at,
        left_label=label_of_rest(left),
        is_last_day=left <= timedelta(days=1),
    )


def label_of_rest(left: timedelta) -> str:
    """In whole days, the one that has begun included."""
    if left <= timedelta(days=1):
        return _("last day")
    days = math.ceil(left / timedelta(days=1))
    return ngettext("%(days)s day left", "%(days)s days left", days) % {"days": days}
