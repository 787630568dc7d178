"""What the frame of every page needs."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class NavItem:
    label: str
    url: str
    icon: str
    active: bool
    badge: int = 0
    badge_label: str = ""


def frame(request: HttpRequest) -> dict[str, Any]:
    """Nothing is counted before a template asks: a page of the console has many fragments, each
    with a context of its own, and no navigation of ours.
    """
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "nav_items": SimpleLazyObject(partial(_nav_items, request)),
    }


def _nav_items(request: HttpRequest) -> list[NavItem]:
    """From settings.NAVIGATION: (label, url name, icon, badge function's path or "")."""
    if not getattr(request, "user", None) or not request.user.is_authenticated:
        return []
    items = []
    for label, url_name, icon, badge_path in settings.NAVIGATION:
        url = reverse(url_name)
        active = _is_active(request.path, url)
        badge = import_string(badge_path)(request.user) if badge_path else 0
        label_of_badge = _badge_label(url_name) if badge else ""
        items.append(NavItem(str(label), url, icon, active, badge, label_of_badge))
    return items


def _badge_label(url_name: str) -> str:
    return _("unread") if url_name == "chat:home" else _("waiting for you")


def _is_active(path: str, url: str) -> bool:
    """Chat stands at the root, its conversations below /chat/."""
    return path == "/" or path.startswith("/chat/") if url == "/" else path.startswith(url)
