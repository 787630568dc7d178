"""One memory: read, changed, put away, taken back, forgotten."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agents.memories import services
from agents.memories.selectors import get_memory, list_replaced
from agents.models import Memory, MemoryStatus
from agents.types.memory_capture.card import where_from
from agents.views.memories.forms import MemoryForm
from config.base.errors import Conflict
from config.base.people import page_actor, signed_in

_require_form = require_http_methods(["GET", "HEAD", "POST"])
_CHANGEABLE = (MemoryStatus.ACTIVE, MemoryStatus.PENDING)


@require_safe
@login_required
def detail(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    memory = get_memory(signed_in(request), memory_id)
    context = {
        "memory": memory,
        "from_others": "untrusted" in memory.provenance,
        "where_from": where_from(set(memory.provenance)),
        "source_url": _source_url(memory),
        "replaced": list_replaced(memory),
        "newer": memory.superseded_by,
        "changeable": memory.status in _CHANGEABLE,
    }
    return render(request, "memories/detail.html", context)


def _source_url(memory: Memory) -> str:
    """The message that asked for it, in its conversation, while that is there."""
    if memory.conversation_id is None:
        return ""
    page = reverse("chat:conversation", args=[memory.conversation_id])
    return f"{page}#message-{memory.source_message_id}" if memory.source_message_id else page


@_require_form
@login_required
def edit(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    memory = get_memory(signed_in(request), memory_id)
    if memory.status not in _CHANGEABLE:
        messages.error(request, _("Only what is still remembered can be changed."))
        return redirect("memories:detail", memory_id)
    form = MemoryForm(request.POST or None, memory=memory)
    if not form.is_valid():
        status = 400 if form.is_bound else 200
        context = {"memory": memory, "form": form}
        return render(request, "memories/edit.html", context, status=status)
    services.edit_memory(page_actor(request), memory_id, **form.cleaned_data)
    messages.success(request, _("Saved."))
    return redirect("memories:detail", memory_id)


@require_POST
@login_required
def archive(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    try:
        services.archive_memory(page_actor(request), memory_id)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("It is in the archive, and no agent is told of it."))
    return redirect("memories:detail", memory_id)


@require_POST
@login_required
def restore(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    try:
        memory = services.restore_memory(page_actor(request), memory_id)
    except Conflict as error:
        messages.error(request, error.message)
        return redirect("memories:detail", memory_id)
    waits = memory.status == MemoryStatus.PENDING
    messages.success(
        request, _("An operator is asked again.") if waits else _("It is remembered again.")
    )
    return redirect("memories:detail", memory_id)


@require_POST
@login_required
def keep_private(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    """One for the company is its owner's alone again, at once."""
    try:
        services.show_memory_to(page_actor(request), memory_id, None)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Only you and your agents know it now."))
    return redirect("memories:detail", memory_id)


@_require_form
@login_required
def forget(request: HttpRequest, memory_id: UUID) -> HttpResponse:
    memory = get_memory(signed_in(request), memory_id)
    if request.method != "POST":
        context = {"memory": memory, "older": list_replaced(memory).count()}
        return render(request, "memories/confirm_forget.html", context)
    with_older = request.POST.get("with_older") == "on"
    services.forget_memory(page_actor(request), memory_id, with_older=with_older)
    messages.success(request, _("It is forgotten."))
    return redirect("memories:list")
