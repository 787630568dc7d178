"""A person's lasting permission for a skill."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from skills.enums import GrantScope, GrantStatus

if TYPE_CHECKING:
    from config.base.models import User

_ACTIVE = Q(revoked_at__isnull=True)


class PermissionGrantQuerySet(models.QuerySet["PermissionGrant"]):
    def for_user(self, user: "User") -> "PermissionGrantQuerySet":
        return self.filter(user=user)

    def active(self) -> "PermissionGrantQuerySet":
        return self.filter(_ACTIVE)


class PermissionGrant(models.Model):
    """Skill, permission code and scope. What was revoked stays, as history; granting again makes
    a new row. `version` is the skill's when it was granted.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="permission_grants",
        db_index=False,
        verbose_name=_("user"),
    )
    skill_id = models.CharField(_("skill"), max_length=100)
    code = models.CharField(_("permission"), max_length=100)
    agent_id = models.UUIDField(_("agent"), null=True)  # null: all agents
    version = models.CharField(_("version when granted"), max_length=32)
    granted_at = models.DateTimeField(_("granted"), db_default=Now())
    granted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("granted by"),
    )
    revoked_at = models.DateTimeField(_("revoked"), null=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("revoked by"),
    )

    objects = PermissionGrantQuerySet.as_manager()

    class Meta:
        verbose_name = _("permission grant")
        verbose_name_plural = _("permission grants")
        constraints = [
            models.UniqueConstraint(
                fields=["user", "code", "skill_id"],
                condition=_ACTIVE & Q(agent_id__isnull=True),
                name="one_active_grant_for_all_agents",
            ),
            models.UniqueConstraint(
                fields=["user", "code", "skill_id", "agent_id"],
                condition=_ACTIVE & Q(agent_id__isnull=False),
                name="one_active_grant_for_an_agent",
            ),
        ]
        indexes = [
            models.Index(
                fields=["user", "code", "agent_id"], condition=_ACTIVE, name="grant_active"
            ),
            models.Index(fields=["user", "-granted_at"], name="grant_by_user"),
            models.Index(fields=["-granted_at"], name="grant_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.skill_id} · {self.code}"

    @property
    def scope(self) -> GrantScope:
        return GrantScope.AGENT if self.agent_id else GrantScope.USER

    @property
    def status(self) -> GrantStatus:
        return GrantStatus.REVOKED if self.revoked_at else GrantStatus.ACTIVE
