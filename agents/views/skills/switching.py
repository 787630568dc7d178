"""The switches: whether a skill is used, and, apart from it, what it is permitted."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from agents.views.skills.choice import page_url, read_agent_id
from config.base.errors import InvalidInput
from config.base.people import page_actor
from skills.bindings import forget_switch, switch_skill
from skills.grants import Permission, grant_permission, revoke_permission
from skills.registry import get_skill

_ON_OFF = {"on": True, "off": False}


@require_POST
@login_required
def switch(request: HttpRequest) -> HttpResponse:
    """On, off, or (for an agent) as it is for all."""
    skill_id, agent_id = _field(request, "skill_id"), _agent_id(request)
    said = request.POST.get("enabled", "")
    if said == "forget":
        forget_switch(page_actor(request), skill_id, agent_id=agent_id)
        told = _("“%(skill)s”: same as for all agents.")
    else:
        enabled = _on_off(said)
        switch_skill(page_actor(request), skill_id, enabled=enabled, agent_id=agent_id)
        told = _("“%(skill)s” is on.") if enabled else _("“%(skill)s” is off.")
    messages.success(request, told % {"skill": _name(skill_id)})
    return redirect(page_url(agent_id, "#catalogue"))


@require_POST
@login_required
def permit(request: HttpRequest) -> HttpResponse:
    skill_id, code, agent_id = (
        _field(request, "skill_id"),
        _field(request, "code"),
        _agent_id(request),
    )
    permission = Permission(skill_id=skill_id, code=code, agent_id=agent_id)
    if _on_off(request.POST.get("granted", "")):
        grant_permission(page_actor(request), permission)
        messages.success(request, _("Allowed: %(name)s.") % {"name": _label(skill_id, code)})
    elif revoke_permission(page_actor(request), permission):
        said = _("No longer allowed: %(name)s. It counts at once.")
        messages.success(request, said % {"name": _label(skill_id, code)})
    return redirect(page_url(agent_id, "#permissions"))


def _field(request: HttpRequest, name: str) -> str:
    """Nothing else than what the database can compare."""
    return request.POST.get(name, "").replace("\x00", "")[:100]


def _agent_id(request: HttpRequest) -> UUID | None:
    return read_agent_id(request.POST.get("agent", ""))


def _on_off(said: str) -> bool:
    if said not in _ON_OFF:
        raise InvalidInput(_("Say on or off."))
    return _ON_OFF[said]


def _label(skill_id: str, code: str) -> Any:
    requirement = get_skill(skill_id).manifest.requirement(code)
    return requirement.label if requirement else code


def _name(skill_id: str) -> Any:
    return get_skill(skill_id).manifest.name
