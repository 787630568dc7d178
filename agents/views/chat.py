"""Chat: the page, the thread as a fragment, and sending without JavaScript."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents.conversations import mark_read
from agents.models import Conversation
from agents.runs.projects import list_memberships
from agents.runs.start import MAX_TEXT_LENGTH, TurnRequest, start_turn
from agents.selectors import get_conversation, list_agents, oldest_agent, wait_for_run
from agents.views.thread import thread_context
from config.base.actor import Origin
from config.base.errors import GatehouseError, NotFound
from config.base.ids import uuid7
from config.base.models import User
from config.base.people import signed_in

_WAIT_SECONDS = 20  # without JavaScript: then the page says that it is still working


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    return _page(request, None)


@login_required
@require_GET
def conversation(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    return _page(request, get_conversation(signed_in(request), conversation_id))


@login_required
@require_GET
def thread(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    found = get_conversation(signed_in(request), conversation_id)
    context = {**thread_context(signed_in(request), found), "fragment": True}
    _mark_shown(context)
    return render(request, "chat/_thread.html", context)


@login_required
@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """The composer's plain form; a refused message comes back into the box."""
    text = request.POST.get("text", "").replace("\r\n", "\n")
    try:
        run = start_turn(signed_in(request), _turn(request, text))
    except GatehouseError as error:
        messages.error(request, error.message)
        return _page(request, _posted_conversation(request), status=error.http_status, text=text)
    wait_for_run(run, seconds=_WAIT_SECONDS)
    return redirect("chat:conversation", run.conversation_id)


def _turn(request: HttpRequest, text: str) -> TurnRequest:
    version = request.POST.get("context_version", "")
    return TurnRequest(
        text=text,
        agent=request.POST.get("agent", ""),
        project=request.POST.get("project", ""),
        conversation_id=_uuid(request.POST.get("conversation_id", "")),
        context_version=int(version) if version.isdecimal() and len(version) < 10 else None,
        enable_tools=bool(request.POST.get("enable_tools")),
        idempotency_key=request.POST.get("idempotency_key", ""),
        origin=Origin.CHAT,
        client="page",
    )


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError as error:
        raise NotFound from error


def _posted_conversation(request: HttpRequest) -> Conversation | None:
    conversation_id = _uuid(request.POST.get("conversation_id", ""))
    return get_conversation(signed_in(request), conversation_id) if conversation_id else None


def _page(
    request: HttpRequest, found: Conversation | None, *, status: int = 200, text: str = ""
) -> HttpResponse:
    agents = list(list_agents(signed_in(request)))
    default = oldest_agent(agents)
    context: dict[str, Any] = {
        **thread_context(signed_in(request), found),
        "agents": agents if found is None else [],
        "projects": _projects(signed_in(request)) if found is None else [],
        "project": request.POST.get("project", ""),
        "agent": request.POST.get("agent", "") or (default.slug if default else ""),
        "enable_tools": _used_tools(found) if found else False,
        "idempotency_key": str(uuid7()),
        "draft_text": text,
        "max_text_length": MAX_TEXT_LENGTH,
    }
    _mark_shown(context)
    if not agents:
        messages.warning(request, _("No agent is open to you yet; ask an operator."))
    return render(request, "chat/conversation.html", context, status=status)


def _mark_shown(context: dict[str, Any]) -> None:
    """After it was looked up: what came meanwhile counts as read only if it is shown."""
    if context["conversation"] is not None:
        mark_read(context["conversation"], context["shown"])


def _projects(user: User) -> list[dict[str, str]]:
    projects = [membership.project for membership in list_memberships(user)]
    return [{"slug": project.slug, "name": project.name} for project in projects]


def _used_tools(found: Conversation) -> bool:
    """The switch stays as it was for the last message."""
    last = found.runs.order_by("-created_at").values_list("enable_tools", flat=True).first()
    return bool(last)
