"""Upload or URL, then a list with checkboxes, then the result."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from tools.admin.openapi.forms import ChoiceForm, SourceForm
from tools.admin.openapi.packed import pack, unpack
from tools.admin.openapi.rows import rows_of, servers_of
from tools.admin.refusals import advice_of, field_of
from tools.admin.tool.agents import agents_context
from tools.openapi.choices import Choices
from tools.openapi.document import Document, read_document
from tools.openapi.limits import MAX_CHOSEN
from tools.openapi.planning import ImportPlan
from tools.openapi.services import Imported, import_openapi, may_import, preview_import

if TYPE_CHECKING:
    from config.base.admin_base import ConsoleAdmin


def import_page(admin: "ConsoleAdmin", request: HttpRequest) -> HttpResponse:
    if not may_import(admin_actor(request)):
        raise PermissionDenied
    if request.method == "POST" and "packed" in request.POST:
        return _choose_page(admin, request)
    is_sent = request.method == "POST"
    form = SourceForm(request.POST if is_sent else None, request.FILES if is_sent else None)
    if form.is_bound and form.is_valid():
        try:
            return _first_choice(admin, request, form)
        except GatehouseError as error:
            form.add_error(field_of(error, "allowed_private_networks"), advice_of(error))
    return _page(admin, request, "source", {"form": form})


def _first_choice(admin: "ConsoleAdmin", request: HttpRequest, source: SourceForm) -> HttpResponse:
    content, url = source.content()
    document = read_document(content, url)
    networks = source.cleaned_data["allowed_private_networks"]
    plan = preview_import(
        admin_actor(request), document, Choices(allowed_private_networks=tuple(networks))
    )
    initial = {"name": plan.name, "allowed_private_networks": "\n".join(networks)}
    form = _form(None, plan, initial)
    return _choices(admin, request, plan, form, packed=pack(content, url))


def _choose_page(admin: "ConsoleAdmin", request: HttpRequest) -> HttpResponse:
    packed = request.POST["packed"]
    try:
        document = read_document(*unpack(packed))
        plan = preview_import(admin_actor(request), document, Choices())
    except GatehouseError as error:  # of a page that was tampered with
        form = SourceForm({})
        form.add_error(None, error.message)
        return _page(admin, request, "source", {"form": form})
    choice = _form(request.POST, plan, {})
    imported = None
    if choice.is_valid():
        try:
            if "import" in request.POST:
                imported = _import(request, document, choice)
            else:
                plan = preview_import(admin_actor(request), document, choice.choices())
        except GatehouseError as error:
            choice.add_error(None, error.message)
    if imported is not None:
        made = agents_context(request, imported.created) if imported.created else None
        return _page(admin, request, "result", {"imported": imported, "agents": made})
    return _choices(admin, request, plan, choice, packed=packed)


def _import(request: HttpRequest, document: Document, form: ChoiceForm) -> Imported:
    keys = request.POST.getlist("operations")
    return import_openapi(admin_actor(request), document, form.choices(), keys)


def _form(data: Any, plan: ImportPlan, initial: Mapping[str, Any]) -> ChoiceForm:
    return ChoiceForm(data, schemes=plan.schemes.values(), known=plan.secrets, initial=initial)


def _choices(
    admin: "ConsoleAdmin", request: HttpRequest, plan: ImportPlan, form: ChoiceForm, *, packed: str
) -> HttpResponse:
    chosen = set(request.POST.getlist("operations")) if form.is_bound else None
    context = {
        "form": form,
        "plan": plan,
        "rows": rows_of(plan, chosen),
        "servers": servers_of(plan),
        "packed": packed,
        "most": MAX_CHOSEN,
    }
    return _page(admin, request, "choose", context)


def _page(
    admin: "ConsoleAdmin", request: HttpRequest, name: str, context: dict[str, Any]
) -> HttpResponse:
    base = {**admin.admin_site.each_context(request), "opts": admin.opts}
    title = _("Import from OpenAPI")
    template = f"admin/tools/tool/import_{name}.html"
    return TemplateResponse(request, template, {**base, "title": title, **context})
