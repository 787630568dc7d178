"""The words of documents."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class DocumentType(TextChoices):
    MEMORY = "memory", _("Memory")  # an agent's own notes
    DOCUMENT = "document", _("Document")  # something for people


class Change(TextChoices):
    CREATED = "created", _("created")
    UPDATED = "updated", _("updated")
    DELETED = "deleted", _("deleted")
    RESTORED = "restored", _("restored")


class ShareKind(TextChoices):
    USER = "user", _("person")
    PROJECT = "project", _("project")
    LINK = "link", _("public link")  # whoever has it reads, without signing in
