"""The list, one document, and what a text will look like."""

import uuid

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from config.base.people import signed_in
from documents.history import SHOWN, list_history
from documents.listing import list_context
from documents.models import Document
from documents.rendering import render as render_text
from documents.rendering import render_markdown
from documents.selectors import list_trash
from documents.shares import get_readable_document, list_shares
from documents.summary import make_summary


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    context = list_context(request, user)
    is_empty = not context["page_obj"].object_list
    context["in_trash"] = list_trash(user, timezone.now()).count() if is_empty else 0
    return render(request, "documents/list.html", context)


@require_safe
@login_required
def detail(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    user = signed_in(request)
    document = get_readable_document(user, document_id, timezone.now())
    if document.owner_id != user.pk:
        return _of_somebody_else(request, document)
    rendered = render_text(document.content)
    history = list_history(user, document_id)
    context = {
        "document": document,
        "summary": _own_summary(document),
        "rendered_html": rendered.html,
        "contents": rendered.contents,
        "versions": history[:SHOWN],
        "has_more_versions": len(history) > SHOWN,
        "shares": list_shares(user, document_id, timezone.now()),
    }
    return render(request, "documents/detail.html", context)


def _of_somebody_else(request: HttpRequest, document: Document) -> HttpResponse:
    """To be read, as it is now; what it was and who changed it is its owner's."""
    rendered = render_text(document.content)
    context = {
        "document": document,
        "summary": _own_summary(document),
        "rendered_html": rendered.html,
        "contents": rendered.contents,
    }
    return render(request, "documents/shared.html", context)


def _own_summary(document: Document) -> str:
    """One that was made from the text says nothing that the text does not say below it."""
    if not document.summary:
        return ""
    return "" if document.summary == make_summary(document.content) else document.summary


@require_POST
@login_required
def preview(request: HttpRequest) -> HttpResponse:
    return HttpResponse(render_markdown(request.POST.get("content", "")))
