"""Pausing, resuming and cancelling a workflow beside its conversation: plain forms."""

import re
from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.models import Run
from agents.runs.start import TurnRequest, run_of_key, start_turn
from agents.selectors import wait_for_run
from config.base.actor import Origin
from config.base.errors import Conflict, GatehouseError, NotPermitted
from config.base.models import User
from config.base.people import page_actor, signed_in
from skills.errors import UnknownSkill
from skills.models import WorkflowSession
from skills.workflows.moving import Change, Moved, require_shown
from skills.workflows.selectors import get_session
from skills.workflows.services import cancel_session, pause_session, resume_session
from skills.workflows.words import write_word

_WAIT_SECONDS = 20


@require_POST
@login_required
def write(request: HttpRequest, session_id: UUID) -> HttpResponse:
    """As if it was said in the conversation; pressed twice on what one page shows is once."""
    session = get_session(signed_in(request), session_id)
    posted = request.POST.get("revision", "")
    revision = int(posted) if re.fullmatch("[0-9]{1,9}", posted) else -1
    try:
        run = _run_that_writes(signed_in(request), session, revision)
        wait_for_run(run, seconds=_WAIT_SECONDS)
    except GatehouseError as error:
        messages.error(request, error.message)
    return redirect("chat:conversation", session.conversation_id)


def _run_that_writes(user: User, session: WorkflowSession, revision: int) -> Run:
    """Started for what was shown, now or at the first press; a stale page starts none."""
    turn = TurnRequest(
        text=write_word(),
        conversation_id=session.conversation_id,
        idempotency_key=f"workflow-write-{session.pk}-{revision}",
        origin=Origin.CHAT,
        client="page",
    )
    if joined := run_of_key(user, turn):
        return joined
    require_shown(session, revision, timezone.now())
    return start_turn(user, turn)


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
