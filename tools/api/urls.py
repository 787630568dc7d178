from django.urls import path

from tools.api import execute, imports, logs, openapi, rows

urlpatterns = [
    path("", rows.ToolsView.as_view()),
    path("types/", rows.ToolTypesView.as_view()),
    path("import-openapi/", openapi.ImportOpenApiView.as_view()),
    path("import-mcp/", imports.ImportMcpView.as_view()),
    path("logs/", logs.LogsView.as_view()),
    path("logs/<uuid:call_id>/", logs.LogView.as_view()),
    path("<uuid:tool_id>/", rows.ToolView.as_view()),
    path("<uuid:tool_id>/execute/", execute.ExecuteView.as_view()),
]
