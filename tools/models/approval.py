"""A standing approval: a person's leave, given with one confirmation, not to be asked again."""

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.models.draft import ActionDraft
from tools.models.tool import Tool

if TYPE_CHECKING:
    from config.base.models import User


class StandingApprovalQuerySet(models.QuerySet["StandingApproval"]):
    def for_user(self, user: "User") -> "StandingApprovalQuerySet":
        return self.filter(owner=user)

    def in_force(self) -> "StandingApprovalQuerySet":
        """Neither revoked nor expired, by the database's clock; maybe without a use left."""
        return self.filter(revoked_at=None, expires_at__gt=Now())

    def usable(self, *, held: "Held | None" = None) -> "StandingApprovalQuerySet":
        """In force and not used up; `held`: the one whose use a call has already, as a query."""
        left = Q(uses_left=None) | Q(uses_left__gt=0)
        return self.in_force().filter(left if held is None else left | Q(pk__in=held))


type Held = models.QuerySet[Any, Any]


class StandingApproval(models.Model):
    """What it covers is decided in `tools.gates.cover`.

    `conditions` is the digest of the tool's settings, `annotations` and `reasons` say for which
    kind of call and against which demands it was given: one that differs is asked for anew.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="standing_approvals",
        db_index=False,
        verbose_name=_("owner"),
    )
    tool = models.ForeignKey(Tool, null=True, on_delete=models.SET_NULL, related_name="+")
    tool_slug = models.CharField(_("tool"), max_length=50)
    agent_id = models.UUIDField(_("agent"), null=True)  # null: every agent of theirs
    conversation_id = models.UUIDField(_("conversation"), null=True)  # null: everywhere
    conditions = models.CharField(max_length=64)
    annotations = models.JSONField(_("given for"))
    reasons = models.JSONField(_("asked because"))
    uses = models.PositiveIntegerField(_("uses"), default=0)
    uses_left = models.PositiveIntegerField(_("uses left"), null=True)  # null: no limit
    draft = models.ForeignKey(
        ActionDraft,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("given with"),
    )
    expires_at = models.DateTimeField(_("expires"))
    created_at = models.DateTimeField(_("given"), auto_now_add=True)
    last_used_at = models.DateTimeField(_("last used"), null=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("revoked by"),
    )

    objects = StandingApprovalQuerySet.as_manager()

    class Meta:
        verbose_name = _("standing approval")
        verbose_name_plural = _("standing approvals")
        indexes = [
            models.Index(fields=["owner", "tool", "expires_at"], name="approval_usable"),
            models.Index(fields=["owner", "-created_at"], name="approval_by_owner"),
            models.Index(fields=["-created_at"], name="approval_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.tool_slug} · …{str(self.pk)[-8:]}"
