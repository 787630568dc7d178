from django.urls import path

from tools.api import execute, logs, rows
from tools.api.imports import mcp, openapi

urlpatterns = [
    path("", rows.ToolsView.as_view()),
    path("types/", rows.ToolTypesView.as_view()),
    path("import-openapi/", openapi.ImportOpenApiView.as_view()),
    path("import-mcp/", mcp.ImportMcpView.as_view()),
    path("logs/", logs.LogsView.as_view()),
    path("logs/<uuid:call_id>/", logs.LogView.as_view()),
    path("<uuid:tool_id>/", rows.ToolView.as_view()),
    path("<uuid:tool_id>/execute/", execute.ExecuteView.as_view()),
]
