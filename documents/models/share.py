"""Who else may read a document: a person, a project, or whoever has a link."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from config.base.models import Membership, Project, User
from documents.enums import ShareKind
from documents.models.document import Document


class DocumentShareQuerySet(models.QuerySet["DocumentShare"]):
    def for_user(self, user: User) -> "DocumentShareQuerySet":
        """Those that this person made: theirs to see and to revoke."""
        return self.filter(owner_id=user.pk)

    def valid(self, now: datetime) -> "DocumentShareQuerySet":
        """Neither revoked nor past its time, by somebody who may sign in still."""
        in_time = Q(expires_at=None) | Q(expires_at__gt=now)
        return self.filter(in_time, revoked_at=None, owner__is_active=True)

    def reaching(self, user: User) -> "DocumentShareQuerySet":
        """Those that let this person read: by name, or as a member of a project at this moment."""
        projects = Membership.objects.filter(user_id=user.pk).values("project_id")
        return self.filter(Q(user_id=user.pk) | Q(project_id__in=projects))


class DocumentShare(models.Model):
    """Reading only, and always of the document as it is now; it goes when the document goes."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    document = models.ForeignKey(
        Document, on_delete=models.CASCADE, related_name="shares", verbose_name=_("document")
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="document_shares",
        verbose_name=_("owner"),
    )
    kind = models.CharField(_("kind"), max_length=10, choices=ShareKind)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        related_name="shared_with_me",
        verbose_name=_("person"),
    )
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, null=True, related_name="+", verbose_name=_("project")
    )
    token_hash = models.CharField(max_length=64, null=True, unique=True, editable=False)
    created_at = models.DateTimeField(_("shared"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(_("expires"), null=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True)
    last_used_at = models.DateTimeField(_("last opened"), null=True, editable=False)  # of a link

    objects = DocumentShareQuerySet.as_manager()

    class Meta:
        verbose_name = _("share")
        verbose_name_plural = _("shares")
        constraints = [
            models.UniqueConstraint(
                fields=["document", "user"],
                condition=Q(revoked_at=None, kind=ShareKind.USER),
                name="one_share_per_person",
            ),
            models.UniqueConstraint(
                fields=["document", "project"],
                condition=Q(revoked_at=None, kind=ShareKind.PROJECT),
                name="one_share_per_project",
            ),
            models.CheckConstraint(
                condition=(
                    Q(kind=ShareKind.USER, user__isnull=False, project=None, token_hash=None)
                    | Q(kind=ShareKind.PROJECT, user=None, project__isnull=False, token_hash=None)
                    | Q(
                        kind=ShareKind.LINK,
                        user=None,
                        project=None,
                        token_hash__isnull=False,
                        expires_at__isnull=False,
                    )
                ),
                name="share_names_one_reader",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)
