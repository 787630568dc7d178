"""The actions inbox, and the person's decisions as forms of the cards."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from agents import actions
from agents.models import Conversation
from agents.views.cards import card_of, card_urls, edits_from
from agents.views.standing import remember_from
from agents.views.tabs import inbox_tabs
from config.base.actor import Actor
from config.base.errors import GatehouseError, InvalidInput, NotFound
from config.base.people import page_actor, signed_in
from tools.enums import DraftState
from tools.models import ActionDraft
from tools.selectors import get_draft, list_drafts

_PAGE_SIZE = 20


@login_required
@require_GET
def inbox(request: HttpRequest) -> HttpResponse:
    decided = request.GET.get("tab") == "decided"
    user = signed_in(request)
    rows = list_drafts(user)
    shown = rows.settled() if decided else rows.needing_a_person().order_by("created_at", "pk")
    page = Paginator(shown, _PAGE_SIZE).get_page(request.GET.get("page"))
    titles = _titles(page.object_list)
    context = {
        "tabs": inbox_tabs(user, active="decided" if decided else "waiting"),
        "cards": [_inbox_card(draft, titles) for draft in page.object_list],
        "page_obj": page,
        "decided": decided,
    }
    return render(request, "actions/inbox.html", context)


def _titles(drafts: Any) -> dict[UUID, str]:
    ids = [draft.call.conversation_id for draft in drafts if draft.call.conversation_id]
    return dict(Conversation.objects.filter(pk__in=ids).values_list("pk", "title"))


def _inbox_card(draft: ActionDraft, titles: dict[UUID, str]) -> dict[str, Any]:
    conversation_id = draft.call.conversation_id
    known = conversation_id in titles
    return {
        "draft": card_of(draft),
        "card_urls": card_urls(draft),
        "origin_label": draft.call.origin,
        "conversation_url": reverse("chat:conversation", args=[conversation_id]) if known else "",
        "conversation_title": titles.get(conversation_id, "") if conversation_id else "",
        "created_at": draft.created_at,
    }


@login_required
@require_POST
def confirm(request: HttpRequest, draft_id: UUID) -> HttpResponse:
    """In needs_input and failed the same form fills in or revises instead."""
    draft = get_draft(signed_in(request), draft_id)
    edits = edits_from(draft, request.POST.dict())
    if draft.state in (DraftState.NEEDS_INPUT, DraftState.FAILED):
        return _decide(
            request,
            draft_id,
            lambda actor: actions.revise(
                actor, draft_id, expected_version=_version(request), arguments=edits
            ),
        )
    return _decide(
        request,
        draft_id,
        lambda actor: actions.confirm(
            actor,
            draft_id,
            expected_version=_version(request),
            idempotency_key=request.POST.get("idempotency_key", ""),
            arguments=edits,
            remember=remember_from(request.POST.dict()),
        ),
    )


@login_required
@require_POST
def dismiss(request: HttpRequest, draft_id: UUID) -> HttpResponse:
    reason = request.POST.get("reason", "")
    return _decide(request, draft_id, lambda actor: actions.dismiss(actor, draft_id, reason=reason))


@login_required
@require_POST
def respond(request: HttpRequest, draft_id: UUID) -> HttpResponse:
    words = request.POST.get("message", "")
    return _decide(request, draft_id, lambda actor: actions.respond(actor, draft_id, message=words))


@login_required
@require_POST
def resolve(request: HttpRequest, draft_id: UUID) -> HttpResponse:
    return _decide(
        request,
        draft_id,
        lambda actor: actions.resolve(
            actor, draft_id, expected_version=_version(request), done=_was_done(request)
        ),
    )


def _was_done(request: HttpRequest) -> bool:
    outcome = request.POST.get("outcome", "")
    if outcome not in ("done", "retry"):
        raise InvalidInput(_("Say whether it was done or is to be tried again."))
    return outcome == "done"


def _version(request: HttpRequest) -> int:
    text = request.POST.get("expected_version", "")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidInput(_("The form lacks the version that you saw."), code="required")
    return int(text)


def _decide(
    request: HttpRequest, draft_id: UUID, decide: Callable[[Actor], ActionDraft]
) -> HttpResponse:
    """The card as it stands afterwards: alone for htmx, else the page it belongs to."""
    user = signed_in(request)
    error: GatehouseError | None = None
    try:
        decide(page_actor(request))
    except NotFound:
        raise
    except GatehouseError as raised:
        error = raised
    draft = get_draft(user, draft_id)
    remembered = error is None and bool(request.POST.get("remember"))
    if request.headers.get("HX-Request"):
        card = card_of(draft, error=error, remembered=remembered)
        context = {"draft": card, "card_urls": card_urls(draft), "tabs": _tabs_shown(request)}
        status = _htmx_status(error)
        return render(request, "actions/_card.html", context, status=status)
    if error:
        messages.error(request, error.message)
    elif remembered:
        messages.success(request, _("You are not asked again for the like."))
    conversation_id = draft.call.conversation_id
    if conversation_id and Conversation.objects.for_user(user).filter(pk=conversation_id).exists():
        return redirect("chat:conversation", conversation_id)
    return redirect("actions:inbox")


def _tabs_shown(request: HttpRequest) -> list[dict[str, Any]]:
    """Cards stand in conversations, too, where there are no tabs to bring up to date."""
    page = urlsplit(request.headers.get("HX-Current-URL", "")).path
    return inbox_tabs(signed_in(request)) if page == reverse("actions:inbox") else []


def _htmx_status(error: GatehouseError | None) -> int:
    """The statuses whose answer htmx swaps in (see skeleton.html)."""
    if error is None:
        return 200
    return error.http_status if error.http_status in (403, 409, 410) else 422
