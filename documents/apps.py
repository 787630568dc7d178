from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DocumentsConfig(AppConfig):
    name = "documents"
    verbose_name = _("Documents")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from documents import search_sources, signals  # noqa: F401  (they register themselves)
        from documents.knowledge import signals as knowledge_signals  # noqa: F401  (as above)
