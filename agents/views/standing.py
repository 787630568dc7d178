"""The page of standing approvals, and what a card's form says of a new one."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.models import Conversation
from agents.views.tabs import inbox_tabs
from config.base.errors import InvalidInput
from config.base.models import User
from config.base.people import page_actor, signed_in
from tools.approvals.selectors import list_approvals
from tools.approvals.services import revoke_approval
from tools.approvals.state import ApprovalState, state_of
from tools.approvals.terms import ApprovalScope, Remember
from tools.directory import agent_directory
from tools.models import StandingApproval

_PAGE_SIZE = 20
HOURS_OF_TIMES = 7 * 24


@login_required
@require_safe
def standing(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    page = Paginator(list_approvals(user), _PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "tabs": inbox_tabs(user, active="standing"),
        "approvals": _lines(user, page.object_list),
        "page_obj": page,
    }
    return render(request, "actions/standing.html", context)


def _lines(user: User, approvals: Iterable[StandingApproval]) -> list[dict[str, Any]]:
    shown, now = list(approvals), timezone.now()
    agents = agent_directory().name_of(one.agent_id for one in shown if one.agent_id)
    talks = Conversation.objects.for_user(user).filter(pk__in=_conversations(shown))
    titles = dict(talks.values_list("pk", "title"))
    return [_line(one, agents, titles, state_of(one, now=now)) for one in shown]


def _conversations(approvals: Iterable[StandingApproval]) -> set[UUID]:
    return {one.conversation_id for one in approvals if one.conversation_id}


def _line(
    approval: StandingApproval,
    agents: Mapping[UUID, str],
    titles: Mapping[UUID, str],
    state: ApprovalState,
) -> dict[str, Any]:
    place = approval.conversation_id
    return {
        "id": approval.pk,
        "tool": approval.tool.name if approval.tool else approval.tool_slug,
        "agent": agents.get(approval.agent_id, "") if approval.agent_id else "",
        "any_agent": approval.agent_id is None,
        "in_conversation": place is not None,
        "conversation": titles.get(place, "") if place else "",
        "conversation_url": reverse("chat:conversation", args=[place]) if place in titles else "",
        "approval": approval,
        "state": state,
        "is_active": state == ApprovalState.ACTIVE,
        "is_revocable": state in (ApprovalState.ACTIVE, ApprovalState.VOID),
    }


@login_required
@require_POST
def revoke(request: HttpRequest, approval_id: UUID) -> HttpResponse:
    revoke_approval(page_actor(request), approval_id)
    messages.success(request, _("Revoked: you are asked again from now on."))
    return redirect("actions:standing")


def remember_from(posted: Mapping[str, str]) -> Remember | None:
    """The choice of a card: nothing, or one of `partials/draft/_remember.html`."""
    choice = posted.get("remember", "")
    if not choice:
        return None
    if choice == "conversation":
        return Remember(scope=ApprovalScope.CONVERSATION)
    if choice == "day":
        return Remember(scope=ApprovalScope.AGENT)
    if choice == "times":
        uses = _number(posted.get("remember_uses", ""))
        return Remember(scope=ApprovalScope.AGENT, hours=HOURS_OF_TIMES, uses=uses)
    raise InvalidInput(_("Say how long it is to be remembered."), code="invalid_remember")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise InvalidInput(_("Say how many times, as a number."), code="invalid_remember")
    return int(text)
