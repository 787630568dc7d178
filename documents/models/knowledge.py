"""Spaces of knowledge, who is in them, their files and what was read in these."""

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from config.base.models import Membership, Project, Role, User
from documents.enums import ReadFailure, ResourceState, SpaceRole

NAME_LENGTH = 100
SLUG_LENGTH = 50
FILE_NAME_LENGTH = 255
HEADING_LENGTH = 300


class KnowledgeSpaceQuerySet(models.QuerySet["KnowledgeSpace"]):
    def for_user(self, user: User) -> "KnowledgeSpaceQuerySet":
        """Those they may read at this moment: the ones they are a member of, and their projects'.

        Who applies to a project reads of it only what is for newcomers. Being staff opens none.
        """
        own = SpaceMember.objects.filter(user_id=user.pk, space_id=OuterRef("pk"))
        belongs = Membership.objects.filter(user_id=user.pk, project_id=OuterRef("project_id"))
        works = belongs.exclude(role=Role.CANDIDATE)
        return self.filter(
            Q(Exists(own)) | Q(Exists(works)) | Q(Exists(belongs), is_for_newcomers=True)
        )


class KnowledgeSpace(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    name = models.CharField(_("name"), max_length=NAME_LENGTH)
    slug = models.SlugField(_("slug"), max_length=SLUG_LENGTH, unique=True)
    project = models.ForeignKey(
        Project,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="knowledge_spaces",
        verbose_name=_("project"),
    )
    is_for_newcomers = models.BooleanField(_("for newcomers"), default=False)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("created by"),
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = KnowledgeSpaceQuerySet.as_manager()

    class Meta:
        verbose_name = _("knowledge space")
        verbose_name_plural = _("knowledge spaces")
        constraints = [
            models.CheckConstraint(
                condition=Q(is_for_newcomers=False) | Q(project__isnull=False),
                name="newcomers_come_to_a_project",
            )
        ]

    def __str__(self) -> str:
        """No name: this is what the operator's pages show."""
        return str(self.pk)


class SpaceMemberQuerySet(models.QuerySet["SpaceMember"]):
    def for_user(self, user: User) -> "SpaceMemberQuerySet":
        """Whoever reads a space may know who is in it."""
        return self.filter(space__in=KnowledgeSpace.objects.for_user(user))


class SpaceMember(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    space = models.ForeignKey(
        KnowledgeSpace, on_delete=models.CASCADE, related_name="members", verbose_name=_("space")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="knowledge_memberships",
        verbose_name=_("user"),
    )
    role = models.CharField(_("role"), max_length=10, choices=SpaceRole)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = SpaceMemberQuerySet.as_manager()

    class Meta:
        verbose_name = _("member of a space")
        verbose_name_plural = _("members of spaces")
        constraints = [
            models.UniqueConstraint(fields=["space", "user"], name="one_role_in_each_space")
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.get_role_display()}"


class ResourceQuerySet(models.QuerySet["Resource"]):
    def for_user(self, user: User) -> "ResourceQuerySet":
        return self.filter(space__in=KnowledgeSpace.objects.for_user(user))

    def ready(self) -> "ResourceQuerySet":
        """What was read in the others may be there in part, and is not found."""
        return self.filter(state=ResourceState.READY)


class Resource(models.Model):
    """A file. It lies in the store under a name that nobody can guess, never under its own."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    space = models.ForeignKey(
        KnowledgeSpace,
        on_delete=models.CASCADE,
        related_name="resources",
        db_index=False,  # the indexes below begin with it
        verbose_name=_("space"),
    )
    title = models.CharField(_("title"), max_length=FILE_NAME_LENGTH)
    file_name = models.CharField(_("file name"), max_length=FILE_NAME_LENGTH)
    media_type = models.CharField(_("type"), max_length=100)  # by its content
    size_bytes = models.PositiveBigIntegerField(_("size"))
    sha256 = models.CharField("SHA-256", max_length=64)
    stored_name = models.CharField(max_length=80, unique=True, editable=False)
    state = models.CharField(
        _("state"), max_length=10, choices=ResourceState, default=ResourceState.UPLOADED
    )
    failure = models.CharField(_("why not"), max_length=20, choices=ReadFailure, blank=True)
    reading = models.PositiveIntegerField(default=1, editable=False)  # which time it is read
    pages = models.PositiveIntegerField(_("pages"), null=True)
    passage_count = models.PositiveIntegerField(_("passages"), default=0)
    characters = models.PositiveIntegerField(_("characters"), default=0)
    uploaded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("uploaded by"),
    )
    created_at = models.DateTimeField(_("uploaded"), default=timezone.now, editable=False)
    read_at = models.DateTimeField(_("read"), null=True, editable=False)

    objects = ResourceQuerySet.as_manager()

    class Meta:
        verbose_name = _("file")
        verbose_name_plural = _("files")
        indexes = [
            models.Index(fields=["space", "-created_at", "-id"], name="resource_newest"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["space", "sha256"], name="a_file_once_in_a_space"),
            models.CheckConstraint(
                condition=Q(state=ResourceState.FAILED) ^ Q(failure=""),
                name="a_failure_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        """No title: this is what the operator's pages show."""
        return str(self.pk)


class ResourcePassage(models.Model):
    """A piece of what was read: what an answer cites."""

    id = models.BigAutoField(primary_key=True)
    resource = models.ForeignKey(
        Resource,
        on_delete=models.CASCADE,
        related_name="passages",
        db_index=False,  # the constraint's index begins with it
        verbose_name=_("file"),
    )
    number = models.PositiveIntegerField(_("number"))  # from 0, the part of its item in the index
    page = models.PositiveIntegerField(_("page"), null=True)
    heading = models.CharField(_("heading"), max_length=HEADING_LENGTH, blank=True)
    text = models.TextField(_("text"))
    start = models.PositiveIntegerField(_("start"))  # in what was read, in characters

    class Meta:
        verbose_name = _("passage")
        verbose_name_plural = _("passages")
        constraints = [
            models.UniqueConstraint(fields=["resource", "number"], name="one_passage_per_number")
        ]

    def __str__(self) -> str:
        return f"{self.resource_id} · {self.number}"
