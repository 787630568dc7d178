"""What a person may do through an agent right now, and why (CONSOLE_POLICY)."""

from collections import Counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from config.base.admin_base import admin_actor, named, present_link
from config.base.admin_links import list_link
from config.base.admin_paging import LogPaginator
from config.base.models import User
from skills.errors import AgentNotYours
from skills.policy_table import SEE_OTHERS, PolicyQuestion, PolicyRow, PolicyTable, look_at
from tools.admin.shown import OUTCOME_COLOURS, decision_rows
from tools.decisions import Reason
from tools.directory import agent_directory

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin

PER_PAGE = 50


class PolicyForm(forms.Form):
    agent = forms.ChoiceField(label=gettext_lazy("Agent"), widget=UnfoldAdminSelectWidget)
    unattended = forms.BooleanField(
        label=gettext_lazy("While nobody is there"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=gettext_lazy("As in jobs and schedules, where nobody can be asked."),
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        names = [(str(pk), name) for pk, name in agent_directory().all_names().items()]
        self.fields["agent"].choices = [("", "–"), *names]  # type: ignore[attr-defined]  # a ChoiceField

    def question(self, person: User) -> PolicyQuestion:
        return PolicyQuestion(
            person=person,
            agent_id=UUID(self.cleaned_data["agent"]),
            unattended=self.cleaned_data["unattended"],
            every_tool=True,
        )


def policy_page(admin: "ConsoleAdmin", request: HttpRequest, object_id: str) -> HttpResponse:
    person = admin.get_object(request, unquote(object_id))
    if person is None:
        gone: HttpResponseRedirect = admin._get_obj_does_not_exist_redirect(  # type: ignore[attr-defined]  # Django's, unknown to its stubs
            request, admin.opts, object_id
        )
        return gone
    if not request.user.has_perm(SEE_OTHERS):
        raise PermissionDenied
    form = PolicyForm(request.GET if "agent" in request.GET else None)
    title = _("What %(name)s may do") % {"name": person}
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "person": person,
        "original": named(person, title),
        "title": title,
        "form": form,
        **_shown(form, person, request),
    }
    return TemplateResponse(request, "admin/skills/policy.html", context)


def _shown(form: PolicyForm, person: User, request: HttpRequest) -> dict[str, Any]:
    asks = form.is_bound and form.is_valid()
    table: Any = _table(form, person, request) if asks else None  # only slices are asked for
    if table is None:
        return {"page": None}
    page = LogPaginator(table, PER_PAGE).get_page(request.GET.get("page"))
    rows = [_row(one, person) for one in page.object_list]
    asked = request.GET.copy()
    asked.pop("page", None)
    return {
        "page": page,
        "rows": rows,
        "counts": _counts_of_page(rows),
        "query": asked.urlencode(),
    }


def _table(form: PolicyForm, person: User, request: HttpRequest) -> PolicyTable | None:
    try:
        return look_at(admin_actor(request), form.question(person))
    except AgentNotYours:
        form.add_error("agent", _("This person may not use that agent."))
        return None


def _row(row: PolicyRow, person: User) -> dict[str, Any]:
    decisive = row.decision.decisive
    return {
        "entry": row.entry,
        "kind": _("skill") if row.entry.kind == "skill" else _("tool"),
        "risk": row.risk,
        "outcome": decisive.outcome.label,
        "colour": OUTCOME_COLOURS[decisive.outcome],
        "reason": decisive,
        "gates": decision_rows(row.decision.as_json(), present_link),
        "given": _given_link(decisive, row.entry.id, person),
    }


def _given_link(reason: Reason, skill_id: str, person: User) -> SafeString | str:
    """To the grants by which it passes, or the switches of what is off."""
    if reason.leaves:
        links = ((present_link(leave.kind, str(leave.id)),) for leave in reason.leaves)
        return format_html_join(", ", "{}", links)
    if reason.reason_code != "skill_disabled":
        return ""
    link = list_link("skills_skillbinding", q=f"{person.username} {skill_id}")
    return format_html('<a class="gh-link" href="{}">{}</a>', link, _("switches"))


def _counts_of_page(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    counted = Counter((str(row["outcome"]), row["colour"]) for row in rows)
    return [
        {"outcome": outcome, "colour": colour, "n": n}
        for (outcome, colour), n in counted.most_common()
    ]
