"""The trash: back, or away for ever."""

import uuid
from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from config.base.people import page_actor, signed_in
from documents import services
from documents.selectors import get_in_trash, list_trash
from documents.trash import trash_context
from documents.views.common import require_form_methods


@require_safe
@login_required
def index(request: HttpRequest) -> HttpResponse:
    return render(request, "documents/trash.html", trash_context(request, signed_in(request)))


@require_POST
@login_required
def restore(request: HttpRequest, document_id: uuid.UUID) -> HttpResponse:
    document = services.restore_document(page_actor(request), document_id)
    messages.success(request, _("“%(title)s” is restored.") % {"title": document.title})
    return redirect("documents:detail", document.pk)


@require_form_methods
@login_required
def purge(request: HttpRequest, deleted_id: uuid.UUID) -> HttpResponse:
    deletion = get_in_trash(signed_in(request), deleted_id, timezone.now())
    if request.method != "POST":
        return render(request, "documents/confirm_purge.html", {"deletion": deletion})
    services.purge_document(page_actor(request), deleted_id)
    messages.success(request, _("“%(title)s” is gone for good.") % {"title": deletion.title})
    return redirect("documents:trash")


@require_form_methods
@login_required
def empty(request: HttpRequest) -> HttpResponse:
    """What was deleted since the person looked stays: they have not seen it."""
    now = timezone.now()
    if request.method != "POST":
        context = {"count": list_trash(signed_in(request), now).count(), "until": now.isoformat()}
        return render(request, "documents/confirm_empty.html", context)
    until = _moment(request.POST.get("until", ""))
    if until is None:
        return redirect("documents:empty-trash")
    count = services.empty_trash(page_actor(request), until=until)
    text = ngettext(
        "%(count)s document is gone for good.", "%(count)s documents are gone for good.", count
    )
    messages.success(request, text % {"count": count})
    return redirect("documents:trash")


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and timezone.is_aware(moment) else None
