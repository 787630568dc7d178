"""The list page: what was asked for, and what stands on the page."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agents.memories.selectors import count_by_status, list_memories, search_memories
from agents.models import Memory, MemoryStatus
from agents.selectors import list_agents
from config.base.models import User
from config.base.people import signed_in
from documents.finding.marking import Marker

PAGE_SIZE = 20
SHOWN_CHARS = 300
MAX_QUERY_LENGTH = 200
_TABS = (
    MemoryStatus.ACTIVE,
    MemoryStatus.PENDING,
    MemoryStatus.ARCHIVED,
    MemoryStatus.SUPERSEDED,
)


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    user, given = signed_in(request), request.GET
    wanted = given.get("status", "")
    status = MemoryStatus(wanted) if wanted in _TABS else MemoryStatus.ACTIVE
    query = given.get("q", "").replace("\x00", "").strip()[:MAX_QUERY_LENGTH]
    agents = list(list_agents(user).order_by("name", "pk"))
    wanted = given.get("agent", "")
    agent = wanted if any(wanted == one.slug for one in agents) else ""
    counts = count_by_status(user)
    context = {
        "page_obj": Paginator(_rows(user, query, status, agent), PAGE_SIZE).get_page(
            given.get("page")
        ),
        "tabs": [_tab(request, one, counts, active=one is status) for one in _TABS],
        "status": status.value,
        "query": query,
        "agent": agent,
        "agents": agents,
        "has_any": bool(counts),
    }
    return render(request, "memories/list.html", context)


def _rows(user: User, query: str, status: MemoryStatus, agent: str) -> Any:
    if query:
        return _marked(search_memories(user, query, status=status, agent=agent), query)
    return list_memories(user, status=status, agent=agent).order_by("-updated_at", "-pk")


def _marked(memories: list[Memory], query: str) -> list[Memory]:
    marker = Marker(query)
    for memory in memories:
        memory.marked = marker.html(Truncator(memory.text).chars(SHOWN_CHARS))  # type: ignore[attr-defined]
    return memories


def _tab(
    request: HttpRequest, status: MemoryStatus, counts: dict[str, int], *, active: bool
) -> dict[str, Any]:
    labels = {
        MemoryStatus.ACTIVE: _("Remembered"),
        MemoryStatus.PENDING: _("Waiting for an operator"),
        MemoryStatus.ARCHIVED: _("Archive"),
        MemoryStatus.SUPERSEDED: _("Replaced"),
    }
    given = request.GET.copy()
    given.pop("page", None)
    given["status"] = status.value
    return {
        "label": labels[status],
        "url": f"?{given.urlencode()}",
        "count": counts.get(status, 0),
        "active": active,
    }
