"""The import from an MCP server: which one, what it has, what became of the chosen ones."""

import json
from typing import TYPE_CHECKING, Any

from django import forms
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from config.base.hidden import shown
from tools.admin.new_tools import NEW_TOOLS, OFF, ON
from tools.admin.refusals import advice_of, field_of
from tools.admin.schema.fields import LinesField
from tools.admin.tool.agents import agents_context
from tools.mcp.descriptors import MAX_DESCRIPTION, MAX_NAME, hint_of
from tools.mcp.endpoint import Endpoint, endpoint_from
from tools.mcp.importing import MAX_PREFIX, Offer, Offers, OfferState, import_tools, list_offers
from tools.models import Secret, Tool
from tools.schemas import JSON

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin

_COLOURS = {
    OfferState.NEW: "info",
    OfferState.CREATED: "success",
    OfferState.CHANGED: "warning",
    OfferState.UNUSABLE: "danger",
}


class McpImportForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=2000,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "url", "autocomplete": "off"}),
        help_text=_("The server's endpoint, such as https://mcp.example.com/mcp."),
    )
    secret = forms.ChoiceField(
        label=_("Secret"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        help_text=_("Sent to the server, if its host is one of those that the secret is for."),
    )
    header = forms.CharField(
        label=_("In the header"),
        initial="authorization",
        max_length=100,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
    )
    slug_prefix = forms.CharField(
        label=_("Prefix"),
        required=False,
        max_length=MAX_PREFIX,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text=_("What the tools' slugs begin with. Empty: the server's own name."),
    )
    enabled = forms.ChoiceField(
        label=_("New tools are"),
        initial=OFF,
        choices=NEW_TOOLS,
        widget=UnfoldAdminRadioSelectWidget,
    )
    networks = LinesField(
        label=_("Private networks"),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "spellcheck": "false"}),
        help_text=_("One a line: 127.0.0.1/32 opens this machine. Empty: public servers only."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        names = Secret.objects.order_by("name").values_list("name", flat=True)
        self.fields["secret"].choices = [("", "–"), *((n, n) for n in names)]  # type: ignore[attr-defined]  # a ChoiceField

    def endpoint(self) -> Endpoint:
        """Raises what `endpoint_from` raises."""
        given = self.cleaned_data
        secret = {given["header"]: {"secret": given["secret"]}} if given["secret"] else {}
        return endpoint_from(given["url"], secret, given["networks"])


def import_page(admin: "ConsoleAdmin", request: HttpRequest) -> HttpResponse:
    if not admin.has_add_permission(request):
        raise PermissionDenied
    form = McpImportForm(_sent(request) if request.method == "POST" else None)
    offers = _asked(form, request) if form.is_bound and form.is_valid() else None
    rows = [_row(offer) for offer in offers.tools] if offers else []
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "title": _("Import from an MCP server"),
        "form": form,
        "offers": offers,
        "rows": rows,
        "may_import": any(row["may_import"] for row in rows),
        "agents": agents_context(request, made) if (made := _made(offers)) else None,
    }
    return TemplateResponse(request, "admin/tools/tool/import_mcp.html", context)


def _sent(request: HttpRequest) -> QueryDict:
    """The page that asks for a server's tools does not say yet whether they are to be on."""
    sent = request.POST.copy()
    sent.setdefault("enabled", OFF)
    return sent


def _asked(form: McpImportForm, request: HttpRequest) -> Offers | None:
    """None, with an error in the form: the server could not be asked."""
    actor, prefix = admin_actor(request), form.cleaned_data["slug_prefix"]
    try:
        if "import" not in request.POST:
            return list_offers(actor, form.endpoint(), prefix=prefix)
        chosen = dict(map(_chosen, request.POST.getlist("tool")))
        enabled = form.cleaned_data["enabled"] == ON
        return import_tools(actor, form.endpoint(), chosen, prefix=prefix, enabled=enabled)
    except GatehouseError as error:
        form.add_error(field_of(error, "networks"), advice_of(error))
        return None


def _made(offers: Offers | None) -> list[Tool]:
    offered = offers.tools if offers else ()
    keys = [one.tool_id for one in offered if one.tool_id and one.state == OfferState.CREATED]
    return list(Tool.objects.filter(pk__in=keys).order_by("name", "pk"))


def _chosen(text: str) -> tuple[str, str | None]:
    """Its name, and the hash of what was shown of it."""
    found, _colon, name = text.partition(":")
    return name, found


def _row(offer: Offer) -> JSON:
    said = offer.descriptor.get("description")
    claims = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    links = {
        OfferState.CHANGED: "admin:tools_tool_descriptor",
        OfferState.IMPORTED: "admin:tools_tool_change",
        OfferState.CREATED: "admin:tools_tool_change",
    }
    return {
        "offer": offer,
        "name": shown(offer.name[:MAX_NAME]),
        "description": shown(said[:MAX_DESCRIPTION]) if isinstance(said, str) else "",
        "claims": [
            f"{n}: {json.dumps(c)}"
            for n in claims
            if (c := hint_of(offer.descriptor, n)) is not None
        ],
        "label": offer.state.label,
        "colour": _COLOURS.get(offer.state, ""),
        "value": f"{offer.hash}:{offer.name}",
        "may_import": offer.state in (OfferState.NEW, OfferState.CHANGED),
        "link": reverse(links[offer.state], args=[offer.tool_id]) if offer.state in links else "",
    }
