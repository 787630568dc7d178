"""Documents and what they were: every change leaves a version."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from config.base.models import User
from documents.enums import Change, DocumentType

TITLE_LENGTH = 255


class DocumentQuerySet(models.QuerySet["Document"]):
    def for_user(self, user: User) -> "DocumentQuerySet":
        """The one place where documents are kept apart: whoever reads starts here."""
        return self.filter(owner_id=user.pk)


class DocumentVersionQuerySet(models.QuerySet["DocumentVersion"]):
    def for_user(self, user: User) -> "DocumentVersionQuerySet":
        return self.filter(owner_id=user.pk)

    def last_deletions(self) -> "DocumentVersionQuerySet":
        """Of documents that are gone. One that was restored has a version after its deletion."""
        later = DocumentVersion.objects.filter(
            document_id=OuterRef("document_id"), revision__gt=OuterRef("revision")
        )
        return self.filter(~Exists(later), change=Change.DELETED)


class DocumentFields(models.Model):
    """What a document says; a version holds the same."""

    type = models.CharField(_("type"), max_length=10, choices=DocumentType)
    title = models.CharField(_("title"), max_length=TITLE_LENGTH)
    content = models.TextField(_("content"))
    summary = models.TextField(_("summary"), blank=True)
    tags = models.JSONField(_("tags"), default=list, blank=True)
    provenance = models.JSONField(_("provenance"), default=list, blank=True)
    revision = models.PositiveIntegerField(_("revision"), default=1)
    conversation_id = models.UUIDField(_("conversation"), null=True, blank=True)

    class Meta:
        abstract = True


class Document(DocumentFields):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="documents",
        db_index=False,  # the indexes below begin with it
        verbose_name=_("owner"),
    )
    # One casefolded tag a line, lines around it: a list in JSON can't be searched alike on both
    # databases.
    tags_text = models.TextField(default="\n", editable=False)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    updated_at = models.DateTimeField(_("updated"), default=timezone.now, editable=False)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        verbose_name = _("document")
        verbose_name_plural = _("documents")
        indexes = [
            models.Index(fields=["owner", "type", "-updated_at", "-id"], name="document_type"),
            models.Index(fields=["owner", "-updated_at", "-id"], name="document_updated"),
            models.Index("owner", "type", Lower("title"), "id", name="document_title"),
            models.Index(fields=["owner", "type", "created_at", "id"], name="document_created"),
            models.Index(fields=["conversation_id"], name="document_conversation"),
        ]

    def __str__(self) -> str:
        """No title: this is what the operator's pages show."""
        return str(self.pk)


class DocumentVersion(DocumentFields):
    """A document as it was after one change. Outlives the document: the trash is made of it."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    document_id = models.UUIDField(_("document"))  # plain: the document may be gone
    document_created_at = models.DateTimeField(_("document created"))  # for when it comes back
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="document_versions",
        db_index=False,
        verbose_name=_("owner"),
    )
    change = models.CharField(_("change"), max_length=10, choices=Change)
    changed_fields = models.JSONField(_("changed"), default=list)
    restored_from = models.PositiveIntegerField(_("restored from"), null=True, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("by"),
    )
    origin = models.CharField(_("origin"), max_length=20)
    agent_id = models.UUIDField(_("agent"), null=True, blank=True)
    run_id = models.UUIDField(_("run"), null=True, blank=True)
    created_at = models.DateTimeField(_("when"), default=timezone.now, editable=False)

    objects = DocumentVersionQuerySet.as_manager()

    class Meta:
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        constraints = [
            models.UniqueConstraint(
                fields=["document_id", "revision"], name="one_version_per_revision"
            )
        ]
        indexes = [
            models.Index(fields=["owner", "change", "-created_at"], name="version_trash"),
            models.Index(fields=["created_at"], name="version_age"),
        ]

    def __str__(self) -> str:
        return f"{self.document_id} · {self.revision}"
