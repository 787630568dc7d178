from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BaseConfig(AppConfig):
    name = "config.base"
    label = "base"
    verbose_name = _("People and access")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from config.base import checks, signals  # noqa: F401  (registers what they declare)
