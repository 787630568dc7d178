"""All conversations: looking for one, giving it another title, deleting it."""

import re
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents import conversations
from agents.selectors import get_conversation, search_conversations
from config.base.errors import InvalidInput
from config.base.people import page_actor, signed_in
from documents.summary import plain_text

_PAGE_SIZE = 30
_CUT_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*$")


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    rows = search_conversations(signed_in(request), query)
    page = Paginator(rows, _PAGE_SIZE).get_page(request.GET.get("page"))
    lines = [{"row": row, "said": _as_text(row.last_reply_text)} for row in page]
    return render(request, "chat/list.html", {"page_obj": page, "lines": lines, "query": query})


def _as_text(said: str) -> str:
    """Only the beginning is kept of what was said; it may end within a link."""
    return plain_text(_CUT_LINK.sub(r"\1", said))


@require_POST
@login_required
def rename(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    title = request.POST.get("title", "")
    try:
        conversations.rename_conversation(page_actor(request), conversation_id, title)
    except InvalidInput as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Renamed."))
    page = reverse("chat:conversation", args=[conversation_id])
    return redirect(f"{page}#conversation-menu")  # where the keyboard was


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def delete(request: HttpRequest, conversation_id: UUID) -> HttpResponse:
    conversation = get_conversation(signed_in(request), conversation_id)
    if request.method != "POST":
        return render(request, "chat/confirm_delete.html", {"conversation": conversation})
    conversations.delete_conversation(page_actor(request), conversation_id)
    messages.success(request, _("The conversation is deleted."))
    return redirect("chat:list")
