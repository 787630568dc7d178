from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SkillsConfig(AppConfig):
    name = "skills"
    verbose_name = _("Skills and audit")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from skills import checks, registry, signals  # noqa: F401  (registers what they declare)

        registry.discover()
