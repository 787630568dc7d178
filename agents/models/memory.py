"""What a person confirmed and an agent may recall."""

from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.models.agent import Agent
from config.base.ids import uuid7

if TYPE_CHECKING:
    from config.base.models import User

MAX_TEXT_LENGTH = 2_000
LEAST_IMPORTANCE, USUAL_IMPORTANCE, MOST_IMPORTANCE = 1, 3, 5


class MemoryStatus(models.TextChoices):
    ACTIVE = "active", _("active")
    PENDING = "pending", _("waits for an operator")
    SUPERSEDED = "superseded", _("replaced by a newer one")
    ARCHIVED = "archived", _("archived")
    FORGOTTEN = "forgotten", _("forgotten")


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


class Memory(models.Model):
    """Of one agent, or, without any, of all: so it goes with its agent and never grows wider."""

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
    text = models.TextField(_("text"), max_length=MAX_TEXT_LENGTH)
    importance = models.PositiveSmallIntegerField(
        _("importance"),
        default=USUAL_IMPORTANCE,
        validators=[MinValueValidator(LEAST_IMPORTANCE), MaxValueValidator(MOST_IMPORTANCE)],
    )
    status = models.CharField(
        _("status"), max_length=10, choices=MemoryStatus, default=MemoryStatus.ACTIVE
    )
    provenance = models.JSONField(_("provenance"), default=list)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        indexes = [
            models.Index(fields=["owner", "status", "-updated_at"], name="memory_newest_of_owner")
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(importance__range=(LEAST_IMPORTANCE, MOST_IMPORTANCE)),
                name="memory_importance_in_range",
            ),
            models.CheckConstraint(
                condition=Q(status=MemoryStatus.FORGOTTEN, text="")
                | (~Q(status=MemoryStatus.FORGOTTEN) & ~Q(text="")),
                name="memory_is_forgotten_with_its_text",
            ),
        ]

    def __str__(self) -> str:
        return str(self.pk)  # not the text: that is the person's, and this is for staff
