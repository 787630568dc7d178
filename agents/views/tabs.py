"""The tabs of the inbox."""

from typing import Any, Literal

from django.urls import reverse
from django.utils.translation import gettext as _

from config.base.models import User
from tools.approvals.selectors import count_usable_approvals
from tools.selectors import list_drafts

type Tab = Literal["waiting", "decided", "standing"]


def inbox_tabs(user: User, *, active: Tab | None = None) -> list[dict[str, Any]]:
    url, rows = reverse("actions:inbox"), list_drafts(user)
    tabs: list[tuple[Tab, str, str, int]] = [
        ("waiting", _("Waiting"), url, rows.needing_a_person().count()),
        ("decided", _("Decided"), f"{url}?tab=decided", rows.settled().count()),
        (
            "standing",
            _("Not asked again"),
            reverse("actions:standing"),
            count_usable_approvals(user),
        ),
    ]
    return [
        {"name": name, "label": label, "url": address, "count": count, "active": name == active}
        for name, label, address, count in tabs
    ]
