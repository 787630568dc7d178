from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class BaseConfig(AppConfig):
    name = "config.base"
    label = "base"
    verbose_name = _("People and access")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # They register what they declare; the clock of this process begins.
        from config.base import checks, signals, uptime  # noqa: F401
