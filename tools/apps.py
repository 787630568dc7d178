from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToolsConfig(AppConfig):
    name = "tools"
    verbose_name = _("Tools")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from tools import checks, registry, signals  # noqa: F401  (registers what they declare)

        registry.discover()
