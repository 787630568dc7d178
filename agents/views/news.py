"""What has come since a page was rendered: the counts of its frame, and its conversation."""

from hashlib import sha256
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from agents.models import Conversation
from config.base.context import NavItem, frame
from config.base.people import signed_in

_SEEN = "X-Seen"
_THREAD = "X-Thread"  # in the answer when the conversation holds more than is shown


@require_safe
@login_required
def news(request: HttpRequest) -> HttpResponse:
    """The counts, or 204 when all is as the page has it.

    `conversation` and `messages`: what it shows, and how many stand in it.
    """
    items: list[NavItem] = list(frame(request)["nav_items"])
    has_more = _has_more(request)
    seen = sha256(repr([item.badge for item in items]).encode()).hexdigest()[:16]
    if request.headers.get(_SEEN) == seen and not has_more:
        return HttpResponse(status=204)
    response = render(request, "chat/_news.html", {"nav_items": items})
    response[_SEEN] = seen
    if has_more:
        response[_THREAD] = "more"
    return response


def _has_more(request: HttpRequest) -> bool:
    """Of a conversation that is there and theirs."""
    try:
        shown = UUID(request.GET.get("conversation", ""))
    except ValueError:
        return False
    rows = Conversation.objects.for_user(signed_in(request)).filter(pk=shown)
    count = rows.values_list("message_count", flat=True).first()
    return count is not None and str(count) != request.GET.get("messages", "")
