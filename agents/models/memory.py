"""What a person confirmed and an agent may recall."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, Q
from django.utils.translation import gettext_lazy as _

from agents.models.agent import Agent
from agents.models.conversation import Conversation, Message
from config.base.ids import uuid7
from config.base.models import Membership, Project

if TYPE_CHECKING:
    from config.base.models import User
    from documents.search.retrieve import Hit

MAX_TEXT_LENGTH = 2_000
MAX_SUBJECT_LENGTH = 100
LEAST_IMPORTANCE, USUAL_IMPORTANCE, MOST_IMPORTANCE = 1, 3, 5


class MemoryStatus(models.TextChoices):
    ACTIVE = "active", _("active")
    PENDING = "pending", _("waits for an operator")
    SUPERSEDED = "superseded", _("replaced by a newer one")
    ARCHIVED = "archived", _("archived")
    FORGOTTEN = "forgotten", _("forgotten")


class Visibility(models.TextChoices):
    PRIVATE = "private", _("only for me")
    COMPANY = "company", _("for everybody in the project")


class MemoryLayer(models.TextChoices):
    SESSION = "session", _("as long as this conversation")
    LONG_TERM = "long_term", _("for good")


class MemoryQuerySet(models.QuerySet["Memory"]):
    def for_user(self, user: "User") -> "MemoryQuerySet":
        return self.filter(owner=user)

    def recallable(self, agent_id: UUID | None) -> "MemoryQuerySet":
        """Active ones that this agent may be told: its own and those of all agents.

        Without an agent only the latter.
        """
        scope = Q(agent=None)
        if agent_id is not None:
            scope |= Q(agent=agent_id)
        return self.filter(scope, status=MemoryStatus.ACTIVE)

    def recallable_by(
        self, user: "User", agent_id: UUID | None, project_id: UUID | None
    ) -> "MemoryQuerySet":
        """Active ones that this agent may tell this person: their own, and those of the company in
        this project, as long as they are in it, whoever told them.
        """
        own = Q(owner=user, visibility=Visibility.PRIVATE)
        if project_id is None:
            return self.filter(own).recallable(agent_id)
        is_in = Membership.objects.filter(user=user, project=project_id)
        company = Q(Exists(is_in), project=project_id, visibility=Visibility.COMPANY)
        return self.filter(own | company).recallable(agent_id)

    def pending(self) -> "MemoryQuerySet":
        return self.filter(status=MemoryStatus.PENDING)


class Memory(models.Model):
    """Of one agent, or, without any, of all: so it goes with its agent and never grows wider.

    One for the company is of a project and goes with it; a private one is of none.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="memories",
        db_index=False,
        verbose_name=_("owner"),
    )
    agent = models.ForeignKey(
        Agent,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="memories",
        verbose_name=_("agent"),
    )
    project = models.ForeignKey(
        Project,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="memories",
        verbose_name=_("project"),
    )
    visibility = models.CharField(
        _("visibility"), max_length=10, choices=Visibility, default=Visibility.PRIVATE
    )
    layer = models.CharField(
        _("layer"), max_length=10, choices=MemoryLayer, default=MemoryLayer.LONG_TERM
    )
    text = models.TextField(_("text"), max_length=MAX_TEXT_LENGTH)
    subject = models.CharField(_("subject"), max_length=MAX_SUBJECT_LENGTH, blank=True)
    importance = models.PositiveSmallIntegerField(
        _("importance"),
        default=USUAL_IMPORTANCE,
        validators=[MinValueValidator(LEAST_IMPORTANCE), MaxValueValidator(MOST_IMPORTANCE)],
    )
    status = models.CharField(
        _("status"), max_length=10, choices=MemoryStatus, default=MemoryStatus.ACTIVE
    )
    provenance = models.JSONField(_("provenance"), default=list)
    conversation = models.ForeignKey(
        Conversation,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="memories",
        verbose_name=_("conversation"),
    )
    source_message = models.ForeignKey(
        Message,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("source message"),
    )
    superseded_by = models.ForeignKey(
        "self",
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="supersedes",
        verbose_name=_("replaced by"),
    )
    revision = models.PositiveIntegerField(_("revision"), default=1)
    last_used_at = models.DateTimeField(_("last recalled"), null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = MemoryQuerySet.as_manager()
    why: "Hit | None" = None  # of one that a search has found: what it found it by

    class Meta:
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        indexes = [
            models.Index(fields=["owner", "status", "-updated_at"], name="memory_newest_of_owner"),
            models.Index(fields=["status", "updated_at"], name="memory_longest_at_rest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(importance__range=(LEAST_IMPORTANCE, MOST_IMPORTANCE)),
                name="memory_importance_in_range",
            ),
            models.CheckConstraint(
                condition=Q(status=MemoryStatus.FORGOTTEN, text="", subject="")
                | (~Q(status=MemoryStatus.FORGOTTEN) & ~Q(text="")),
                name="memory_is_forgotten_with_its_text",
            ),
            models.CheckConstraint(
                condition=Q(visibility=Visibility.COMPANY, project__isnull=False)
                | Q(visibility=Visibility.PRIVATE, project__isnull=True),
                name="memory_of_company_is_of_a_project",
            ),
            models.CheckConstraint(
                condition=~Q(status=MemoryStatus.PENDING) | Q(visibility=Visibility.COMPANY),
                name="memory_that_waits_is_of_company",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)  # not the text: that is the person's, and this is for staff

    @property
    def holder_id(self) -> UUID:
        """Whose it is in the search index: nothing is shared between holders."""
        return self.project_id or self.owner_id
