"""Whether a person wants a skill used: apart from what it is permitted."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7

if TYPE_CHECKING:
    from config.base.models import User


class SkillBindingQuerySet(models.QuerySet["SkillBinding"]):
    def for_user(self, user: "User") -> "SkillBindingQuerySet":
        return self.filter(user=user)


class SkillBinding(models.Model):
    """The agent's row counts before the one for all agents, and that before the manifest."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="skill_bindings",
        db_index=False,
        verbose_name=_("user"),
    )
    skill_id = models.CharField(_("skill"), max_length=100)
    agent_id = models.UUIDField(_("agent"), null=True)  # null: all agents
    enabled = models.BooleanField(_("enabled"))
    updated_at = models.DateTimeField(_("changed"), auto_now=True)

    objects = SkillBindingQuerySet.as_manager()

    class Meta:
        verbose_name = _("skill switch")
        verbose_name_plural = _("skill switches")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "skill_id"],
                condition=Q(agent_id__isnull=True),
                name="one_binding_for_all_agents",
            ),
            models.UniqueConstraint(
                fields=["user", "skill_id", "agent_id"],
                condition=Q(agent_id__isnull=False),
                name="one_binding_for_an_agent",
            ),
        ]
        indexes = [models.Index(fields=["user", "skill_id"], name="binding_by_user")]

    def __str__(self) -> str:
        return self.skill_id
