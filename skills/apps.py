from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SkillsConfig(AppConfig):
    name = "skills"
    verbose_name = _("Audit")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from skills import checks, signals  # noqa: F401  (registers what they declare)
