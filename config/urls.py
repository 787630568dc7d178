"""Every path of the product; each app owns what stands below its own."""

from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from config.base.health import healthz, readyz
from config.error_codes import error_codes
from config.metrics import metrics
from documents.views.links import link

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("favicon.ico", RedirectView.as_view(url=static("gatehouse/favicon.svg"))),
    path("admin/", admin.site.urls),
    path("accounts/", include("config.base.urls")),
    path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
    path("api/error-codes/", error_codes, name="error-codes"),
    path("api/agent-tools/", include("tools.api.urls")),
    path("api/agent-documents/", include("documents.api.urls")),
    path("api/knowledge/", include("documents.knowledge.api.urls")),
    path("api/jobs/", include("jobs.api.urls")),
    path("api/skills/", include("skills.api.urls")),
    path("api/", include("agents.api.urls")),
    path("documents/", include("documents.urls")),
    path("knowledge/", include("documents.knowledge.urls")),
    path("s/<str:token>/", link, name="shared-link"),
    path("", include("agents.urls")),
]
