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


class SpaceRole(TextChoices):
    READER = "reader", _("reader")
    EDITOR = "editor", _("editor")  # uploads and deletes files
    MANAGER = "manager", _("manager")  # says who is in it, too


class ResourceState(TextChoices):
    UPLOADED = "uploaded", _("waits to be read")
    READING = "reading", _("being read")
    READY = "ready", _("ready")
    FAILED = "failed", _("not readable")


class ReadFailure(TextChoices):
    """Why a file was not read: stable codes, told in words that say what to do."""

    BROKEN = "broken", _("The file is damaged. Open it, save it anew and upload that.")
    EMPTY = "empty", _("There is no text in it.")
    ENCRYPTED = "encrypted", _("It is protected by a password. Upload it without one.")
    SCANNED = (
        "scanned_no_text",
        _("It holds pictures of pages only. Upload it with recognised text (OCR)."),
    )
    TOO_LONG = "too_long", _("It holds more text than is read. Divide it.")
    TOO_LARGE = "too_large", _("Reading it takes more memory than there is for it. Divide it.")
    TIMEOUT = "timeout", _("Reading it took too long. Divide it.")
    UNSUPPORTED = "unsupported", _("Files of this kind can't be read.")
    ZIP_BOMB = "zip_bomb", _("Unpacked it is far larger than it says.")
    GONE = "gone", _("The stored file is gone. Upload it again.")
    NOT_READ = "not_read", _("It could not be read. Try it again.")


class ShareKind(TextChoices):
    USER = "user", _("person")
    PROJECT = "project", _("project")
    LINK = "link", _("public link")  # whoever has it reads, without signing in
