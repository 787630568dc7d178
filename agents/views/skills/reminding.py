"""Reminders: planning one, looking at them again, cancelling one or a whole series."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from agents.skill_definitions import CHECK_IN
from agents.views.skills.choice import Choice, page_url
from agents.views.skills.forms import ReminderForm
from agents.views.skills.jobs import job_list
from agents.views.skills.offer import offer_of
from agents.views.skills.page import context_of, form_for, read
from config.base.actor import Actor
from config.base.errors import Conflict, GatehouseError
from config.base.moments import moment_for
from config.base.people import page_actor, signed_in
from jobs.models import Job
from skills.background.services import (
    cancel_background_job,
    create_background_job,
    end_background_series,
)

_LIST = "#reminder-jobs"


@require_POST
@login_required
def remind(request: HttpRequest) -> HttpResponse:
    given, choice = read(request)
    offer = offer_of(given, choice)
    form = form_for(choice, offer, request.POST)
    job = _plan(page_actor(request), form)
    if job is not None:
        when = moment_for(signed_in(request), job.scheduled_at)
        said = _("It begins %(when)s.") if job.series_id else _("Planned for %(when)s.")
        messages.success(request, said % {"when": when})
        return redirect(page_url(choice.agent_id, _LIST))
    context = context_of(request, given, choice, offer, form)
    return render(request, "skills/page.html", context, status=400)


def _plan(actor: Actor, form: ReminderForm) -> Job | None:
    """None when it was refused: the form says why."""
    if not form.is_valid():
        return None
    try:
        return create_background_job(actor, form.order(CHECK_IN))
    except GatehouseError as error:
        form.refuse(error)
        return None


@require_safe
@login_required
def jobs(request: HttpRequest) -> HttpResponse:
    """The list alone, for the page that shows it; nothing when it is as it was."""
    user = signed_in(request)
    choice = Choice.read(user, request.GET.get("agent", ""))
    found = job_list(user, request.GET.get("page"), timezone.now())
    if request.headers.get("X-Seen") == found.seen:
        return HttpResponse(status=204)
    return render(request, "skills/jobs.html", {"jobs": found, "choice": choice})


@require_POST
@login_required
def cancel(request: HttpRequest, skill_job_id: UUID) -> HttpResponse:
    return _stop(request, skill_job_id, cancel_background_job, _("Cancelled: nothing is sent."))


@require_POST
@login_required
def end(request: HttpRequest, skill_job_id: UUID) -> HttpResponse:
    return _stop(request, skill_job_id, end_background_series, _("Ended: it does not come again."))


def _stop(
    request: HttpRequest, job_id: UUID, stop: Callable[[Actor, UUID], Job], told: str
) -> HttpResponse:
    """What began or ended meanwhile is shown as it is."""
    choice = Choice.read(signed_in(request), request.GET.get("agent", ""))
    try:
        stop(page_actor(request), job_id)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, told)
    return redirect(page_url(choice.agent_id, _LIST))
