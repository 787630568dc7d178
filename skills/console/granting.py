"""Granting a permission to a person, as an operator."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from config.base.models import User
from skills.enums import ApprovalMode
from skills.errors import AgentNotYours
from skills.grants import Permission, grant_permission
from skills.registry import list_skills
from tools.directory import agent_directory

if TYPE_CHECKING:
    from config.base.admin_base import ReadOnlyAdmin

_SEPARATOR = " "  # in neither a skill's id nor a code


class GrantForm(forms.Form):
    user = forms.CharField(
        label=gettext_lazy("User"),
        help_text=gettext_lazy("Their user name."),
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
    )
    permission = forms.ChoiceField(label=gettext_lazy("Permission"), widget=UnfoldAdminSelectWidget)
    agent = forms.ChoiceField(
        label=gettext_lazy("Agent"), required=False, widget=UnfoldAdminSelectWidget
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        agents = [(str(pk), name) for pk, name in agent_directory().all_names().items()]
        self.fields["permission"].choices = [("", "–"), *_choices()]  # type: ignore[attr-defined]  # a ChoiceField
        self.fields["agent"].choices = [("", _("all agents")), *agents]  # type: ignore[attr-defined]  # as above

    def clean_user(self) -> User:
        user = User.objects.filter(username=self.cleaned_data["user"], is_active=True).first()
        if user is None:
            raise forms.ValidationError(_("There is no such active user."))
        return user

    def wanted(self) -> Permission:
        skill_id, _space, code = self.cleaned_data["permission"].partition(_SEPARATOR)
        agent_id = self.cleaned_data["agent"]
        return Permission(
            skill_id=skill_id, code=code, agent_id=UUID(agent_id) if agent_id else None
        )


def _choices() -> list[tuple[str, str]]:
    """What is granted once; the rest is confirmed each time, or needs nothing."""
    return [
        (
            f"{skill.manifest.skill_id}{_SEPARATOR}{one.code}",
            f"{skill.manifest.name}: {one.label} ({one.code}, {one.risk.name})",
        )
        for skill in list_skills()
        for one in skill.manifest.permissions
        if one.approval == ApprovalMode.PERSISTENT
    ]


def grant_page(admin: "ReadOnlyAdmin", request: HttpRequest) -> HttpResponse:
    form = GrantForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid() and _grant(form, request):
        return HttpResponseRedirect(reverse("admin:skills_permissiongrant_changelist"))
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "title": _("Grant a permission to a person"),
        "form": form,
    }
    return TemplateResponse(request, "admin/skills/grant.html", context)


def _grant(form: GrantForm, request: HttpRequest) -> bool:
    """False when it was refused: the form says why."""
    person = form.cleaned_data["user"]
    try:
        grant = grant_permission(admin_actor(request), form.wanted(), person=person)
    except AgentNotYours:
        form.add_error("agent", _("This person may not use that agent."))
        return False
    except GatehouseError as error:
        form.add_error(None, error.message)
        return False
    said = {"name": person, "grant": grant}
    messages.success(request, _("%(name)s has the permission %(grant)s.") % said)
    return True
