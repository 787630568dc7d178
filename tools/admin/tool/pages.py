"""Pages of tools beside list and form, with the buttons that lead there."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from config.base.admin_base import AuditedModelAdmin, admin_actor, named
from config.base.ids import uuid7
from tools.admin.mcp.descriptor import descriptor_page
from tools.admin.mcp.pages import import_page as mcp_import_page
from tools.admin.openapi.pages import import_page as openapi_import_page
from tools.admin.tool.agents import give_page
from tools.admin.tool.charts import charts_page
from tools.admin.tool.try_form import TryForm
from tools.admin.tool.try_it import try_tool
from tools.admin.tool.type_pages import type_link, type_page, types_page
from tools.openapi.services import may_import
from tools.registry import find_tool_type


class ToolPages(AuditedModelAdmin):
    actions_list = ("types", "import_openapi", "import_mcp")  # type: ignore[assignment]  # unfold says: none
    actions_detail = ("try_it", "charts")  # type: ignore[assignment]  # as above
    actions_row = ("try_it", "charts")  # type: ignore[assignment]  # as above

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        own = [
            path("calls/<path:tool_slug>/", view(self.calls_page), name="tools_tool_calls"),
            path("types/<slug:tool_type>/", view(self.type_page), name="tools_tool_type"),
            path("give/", view(self.give_page), name="tools_tool_give"),
            path(
                "<uuid:tool_id>/descriptor/",
                view(self.descriptor_page),
                name="tools_tool_descriptor",
            ),
        ]
        return [*own, *super().get_urls()]

    @action(description=_("Try it"), url_path="try-it", icon="play_arrow", permissions=["change"])
    def try_it(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The test panel."""
        tool = self.get_object(request, object_id)
        if tool is None:
            return self._gone(request)
        form = TryForm(tool, request.POST if request.method == "POST" else None)
        trial = try_tool(tool, form, request) if form.is_bound and form.is_valid() else None
        title = _("Try %(name)s") % {"name": tool}
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": named(tool, title),
            "title": title,
            "form": form,
            "key": uuid7() if trial else form["key"].value(),
            "trial": trial,
            "about": type_link(tool.type) if find_tool_type(tool.type) else "",
        }
        return TemplateResponse(request, "admin/tools/tool/try.html", context)

    def has_see_calls_permission(self, request: HttpRequest, _key: object = None) -> bool:
        """By its name as unfold's checks would ask a database that may not have its tables yet."""
        return request.user.has_perm("tools.view_toolcall")

    @action(description=_("Charts"), url_path="charts", icon="bar_chart", permissions=["see_calls"])
    def charts(self, request: HttpRequest, object_id: str) -> HttpResponse:
        tool = self.get_object(request, object_id)
        if tool is None:
            return self._gone(request)
        return HttpResponseRedirect(reverse("admin:tools_tool_calls", args=[tool.slug]))

    def calls_page(self, request: HttpRequest, tool_slug: str) -> HttpResponse:
        return charts_page(self, request, tool_slug)

    @action(description=_("Types"), url_path="types", icon="menu_book", permissions=["view"])
    def types(self, request: HttpRequest) -> HttpResponse:
        return types_page(self, request)

    def has_import_openapi_permission(self, request: HttpRequest, _key: object = None) -> bool:
        return may_import(admin_actor(request))

    @action(
        description=_("Import from OpenAPI"),
        url_path="import-openapi",
        icon="upload_file",
        permissions=["import_openapi"],
    )
    def import_openapi(self, request: HttpRequest) -> HttpResponse:
        return openapi_import_page(self, request)

    def type_page(self, request: HttpRequest, tool_type: str) -> HttpResponse:
        return type_page(self, request, tool_type)

    def give_page(self, request: HttpRequest) -> HttpResponse:
        return give_page(self, request)

    @action(
        description=_("Import from an MCP server"),
        url_path="import-mcp",
        icon="download",
        permissions=["add"],
    )
    def import_mcp(self, request: HttpRequest) -> HttpResponse:
        return mcp_import_page(self, request)

    def descriptor_page(self, request: HttpRequest, tool_id: UUID) -> HttpResponse:
        """Of a tool of an MCP server, that may have changed."""
        return descriptor_page(self, request, tool_id)

    def _gone(self, request: HttpRequest) -> HttpResponse:
        words = _("There is no such tool. Perhaps it was deleted? Its calls are in the log.")
        messages.warning(request, words)
        return HttpResponseRedirect(reverse("admin:tools_tool_changelist"))
