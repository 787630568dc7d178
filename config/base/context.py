"""What the frame of every page needs."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.module_loading import import_string

THEMES = ("light", "dark")


@dataclass(frozen=True, slots=True)
class NavItem:
    label: str
    url: str
    icon: str
    active: bool
    badge: int = 0


def frame(request: HttpRequest) -> dict[str, Any]:
    theme = request.COOKIES.get("theme", "")
    return {
        "theme": theme if theme in THEMES else "",
        "nav_items": _nav_items(request),
    }


def _nav_items(request: HttpRequest) -> list[NavItem]:
    """From settings.NAVIGATION: (label, url name, icon, badge function's path or "")."""
    if not getattr(request, "user", None) or not request.user.is_authenticated:
        return []
    items = []
    for label, url_name, icon, badge_path in settings.NAVIGATION:
        url = reverse(url_name)
        active = request.path == url if url == "/" else request.path.startswith(url)
        badge = import_string(badge_path)(request.user) if badge_path else 0
        items.append(NavItem(str(label), url, icon, active, badge))
    return items
