"""Pausing, resuming and cancelling a workflow beside its conversation: plain forms."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from config.base.errors import Conflict, NotPermitted
from config.base.people import page_actor, signed_in
from skills.errors import UnknownSkill
from skills.workflows.moving import Change, Moved
from skills.workflows.selectors import get_session
from skills.workflows.services import cancel_session, pause_session, resume_session


@require_POST
@login_required
def pause(request: HttpRequest, session_id: UUID) -> HttpResponse:
    said = _("Paused. Your messages are ordinary ones until you resume it.")
    return _moved(request, session_id, pause_session, said)


@require_POST
@login_required
def resume(request: HttpRequest, session_id: UUID) -> HttpResponse:
    return _moved(request, session_id, resume_session, _("Going on: answer in the conversation."))


@require_POST
@login_required
def cancel(request: HttpRequest, session_id: UUID) -> HttpResponse:
    return _moved(request, session_id, cancel_session, _("Cancelled: nothing is written."))


def _moved(
    request: HttpRequest, session_id: UUID, act: Callable[[Change], Moved], said: str
) -> HttpResponse:
    session = get_session(signed_in(request), session_id)
    try:
        moved = act(Change(page_actor(request), session.pk, timezone.now()))
    except (Conflict, NotPermitted, UnknownSkill) as error:
        messages.error(request, error.message)
    else:
        written = act is cancel_session and moved.session.state == "completed"
        messages.success(request, _("It was written already.") if written else said)
    return redirect("chat:conversation", session.conversation_id)
