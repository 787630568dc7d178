"""The page itself; what is changed on it, is changed in `switching` and `reminding`."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from agents.reminders.payload import list_destinations
from agents.views.skills.catalogue import skill_lines
from agents.views.skills.choice import Choice
from agents.views.skills.forms import ReminderForm, first_values
from agents.views.skills.jobs import job_list
from agents.views.skills.offer import Offer, offer_of
from agents.views.skills.permissions import permission_lines
from agents.views.skills.sessions import session_lines
from agents.views.skills.uses import use_lines
from config.base.forms import list_time_zones
from config.base.people import signed_in
from skills.given import Given, given_anywhere


@require_safe
@login_required
def page(request: HttpRequest) -> HttpResponse:
    given, choice = read(request)
    offer = offer_of(given, choice)
    values = first_values(signed_in(request), offer.agent_id, timezone.now())
    form = form_for(choice, offer, initial=values)
    return render(request, "skills/page.html", context_of(request, given, choice, offer, form))


def read(request: HttpRequest) -> tuple[Given, Choice]:
    """What the person has given, and for whom the page is. Raises `AgentNotYours`."""
    user = signed_in(request)
    return given_anywhere(user), Choice.read(user, request.GET.get("agent", ""))


def form_for(choice: Choice, offer: Offer, *data: Any, **options: Any) -> ReminderForm:
    agents = choice.agents.values()
    return ReminderForm(*data, agents=agents, permitted=offer.permitted, **options)


def context_of(
    request: HttpRequest, given: Given, choice: Choice, offer: Offer, form: ReminderForm
) -> dict[str, Any]:
    """Of skills/page.html."""
    user = signed_in(request)
    return {
        "choice": choice,
        "skills": skill_lines(given, choice),
        "permissions": permission_lines(given, choice),
        "sessions": session_lines(user),
        "offer": offer,
        "destinations": list_destinations(user, offer.permitted),
        "form": form,
        "time_zones": list_time_zones(),
        "jobs": job_list(user, request.GET.get("page"), timezone.now()),
        "uses": use_lines(user),
    }
