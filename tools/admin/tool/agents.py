"""Which agents have a tool, and giving it to one: nobody else can call it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from unfold.widgets import UnfoldAdminSelectWidget

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from config.base.people import signed_in
from tools.directory import Holder, agent_directory
from tools.models import Tool

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin

SHOWN_NAMES = 3
ANCHOR = "agents"


class GiveForm(forms.Form):
    agent = forms.ChoiceField(widget=UnfoldAdminSelectWidget)

    def __init__(self, others: list[tuple[str, str]], n: int) -> None:
        super().__init__(auto_id="give-%s")
        self.fields["agent"].choices = others  # type: ignore[attr-defined]  # a ChoiceField
        self.fields["agent"].label = ngettext("Give it to", "Give them to", n)


def agents_context(request: HttpRequest, tools: Sequence[Tool]) -> dict[str, Any]:
    """For `_agents.html`: who has all of these, and whom they can be given to."""
    directory = agent_directory()
    held = directory.holders(tools)
    holders = [one for one in held.get(tools[0].pk, []) if _has_all(one, tools, held)]
    having = {one.agent_id for one in holders}
    names = directory.all_names() if directory.may_give(signed_in(request)) else {}
    others = [(str(pk), name) for pk, name in names.items() if pk not in having]
    form = GiveForm(others, len(tools)) if others else None
    return {"tools": tools, "holders": holders, "form": form}


def _has_all(holder: Holder, tools: Sequence[Tool], held: Any) -> bool:
    return all(holder in held.get(tool.pk, []) for tool in tools)


def name_holders(tools: Iterable[Any]) -> None:
    """Sets `holders` on each, in as many queries for one as for many."""
    rows = list(tools)
    held = agent_directory().holders(rows)
    for tool in rows:
        tool.holders = held.get(tool.pk, [])


def holders_in_words(holders: Sequence[Holder]) -> str:
    names = ", ".join(one.name for one in holders[:SHOWN_NAMES])
    more = len(holders) - SHOWN_NAMES
    return f"{names} +{more}" if more > 0 else names


def give_page(admin: "ConsoleAdmin", request: HttpRequest) -> HttpResponse:
    """Takes `agent` and one `tool` or more; goes back to the tool, or to the list."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not admin.has_view_permission(request):
        raise PermissionDenied
    try:
        agent_id = UUID(request.POST.get("agent", ""))
        tool_ids = [UUID(key) for key in request.POST.getlist("tool")]
    except ValueError:
        messages.error(request, _("Choose an agent."))
        return _back([])
    try:
        given = agent_directory().give_tools(admin_actor(request), agent_id, tool_ids)
    except GatehouseError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _given(agent_id, given))
    return _back(tool_ids)


def _given(agent_id: UUID, tools: Sequence[Tool]) -> str:
    name = agent_directory().name_of([agent_id]).get(agent_id, "")
    if not tools:
        return _("%(agent)s had them already.") % {"agent": name}
    words = ngettext(
        "%(agent)s has the tool %(tools)s from its next turn on.",
        "%(agent)s has the tools %(tools)s from its next turn on.",
        len(tools),
    )
    return words % {"agent": name, "tools": ", ".join(tool.slug for tool in tools)}


def _back(tool_ids: Sequence[UUID]) -> HttpResponseRedirect:
    if len(tool_ids) == 1:
        return HttpResponseRedirect(tool_address(tool_ids[0]))
    return HttpResponseRedirect(reverse("admin:tools_tool_changelist"))


def tool_address(tool_id: UUID) -> str:
    return f"{reverse('admin:tools_tool_change', args=[tool_id])}#{ANCHOR}"


def tell_if_nobody_has(request: HttpRequest, tool: Tool) -> None:
    """Said once it is made: it would otherwise seem to be in use."""
    if agent_directory().holders([tool]).get(tool.pk):
        return
    messages.warning(request, _nobody(tool))


def _nobody(tool: Tool) -> SafeString:
    return format_html(
        '{} <a class="text-link" href="{}">{}</a>',
        _("No agent has the tool “%(name)s” yet.") % {"name": tool.name},
        tool_address(tool.pk),
        _("Give it to one"),
    )
