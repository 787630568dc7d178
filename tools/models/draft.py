"""An action draft: a tool call that waits for a person, bound to the effect they were shown."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from config.base.ids import uuid7
from tools.enums import DismissReason, DraftKind, DraftState
from tools.models.call import ToolCall
from tools.schemas import JSON

if TYPE_CHECKING:
    from config.base.models import User

WAITING = (DraftState.DRAFT, DraftState.NEEDS_INPUT)


class ActionDraftQuerySet(models.QuerySet["ActionDraft"]):
    def for_user(self, user: "User") -> "ActionDraftQuerySet":
        """The owner alone sees and decides."""
        return self.filter(owner=user)

    def waiting(self) -> "ActionDraftQuerySet":
        return self.filter(state__in=WAITING)

    def settled(self) -> "ActionDraftQuerySet":
        """Nothing is expected of a person any more, though some can be tried again."""
        return self.exclude(state__in=(*WAITING, DraftState.OUTCOME_UNKNOWN))

    def needing_a_person(self) -> "ActionDraftQuerySet":
        return self.filter(state__in=(*WAITING, DraftState.OUTCOME_UNKNOWN))


class ActionDraft(models.Model):
    """Proposed, edited and executed arguments are three facts and never overwrite each other.

    `conditions` is the digest of what must still hold when a person confirms (tool, config,
    annotations, gates); `hash` covers it together with arguments, targets and preview.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    call = models.OneToOneField(ToolCall, on_delete=models.CASCADE, related_name="draft")
    kind = models.CharField(_("kind"), max_length=10, choices=DraftKind, default=DraftKind.ACTION)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="action_drafts",
        db_index=False,
        verbose_name=_("owner"),
    )
    version = models.PositiveIntegerField(_("version"), default=1)
    state = models.CharField(_("state"), max_length=20, choices=DraftState)
    attempt = models.PositiveIntegerField(_("attempt"), default=0)

    proposed_arguments = models.JSONField(_("proposed"))
    edited_arguments = models.JSONField(_("edited"), null=True)
    executed_arguments = models.JSONField(_("executed"), null=True)
    plan = models.JSONField(_("plan"))
    conditions = models.CharField(max_length=64)
    hash = models.CharField(_("hash"), max_length=64)
    provenance = models.JSONField(default=list)
    user_urls = models.JSONField(default=list)
    unattended = models.BooleanField(default=False)

    confirm_key = models.CharField(max_length=255, blank=True)
    confirm_digest = models.CharField(max_length=64, blank=True)  # of what came with the key
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("decided by"),
    )
    decided_at = models.DateTimeField(_("decided"), null=True)
    reason = models.CharField(_("reason"), max_length=20, choices=DismissReason, blank=True)
    reason_text = models.TextField(_("their words"), blank=True)
    receipt = models.JSONField(_("receipt"), null=True)
    # For the model, private to the owner: data, warnings, metadata, and what reading it brings in.
    result = models.JSONField(null=True)
    error_code = models.CharField(_("error"), max_length=50, blank=True)
    error_message = models.TextField(_("error message"), blank=True)
    expires_at = models.DateTimeField(_("expires"))
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = ActionDraftQuerySet.as_manager()

    class Meta:
        verbose_name = _("action draft")
        verbose_name_plural = _("action drafts")
        indexes = [
            models.Index(fields=["owner", "state", "-created_at"], name="draft_inbox"),
            # Not partial: SQLite does not use `state IN (…)` with bound parameters.
            models.Index(fields=["state", "expires_at"], name="draft_expiring"),
            models.Index(fields=["updated_at"], name="draft_updated"),
        ]

    def __str__(self) -> str:
        return str(self.pk)  # not the title: it may hold the owner's words, and this is for staff

    @property
    def arguments(self) -> JSON:
        """Those that confirming would execute now."""
        current: JSON = self.edited_arguments or self.proposed_arguments
        return current

    @property
    def is_waiting(self) -> bool:
        return self.state in WAITING


class ActionDraftVersion(models.Model):
    """What an earlier version of a draft showed."""

    draft = models.ForeignKey(
        ActionDraft, on_delete=models.CASCADE, related_name="versions", db_index=False
    )
    version = models.PositiveIntegerField()
    arguments = models.JSONField()
    plan = models.JSONField()
    hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["draft", "version"], name="one_row_per_draft_version")
        ]

    def __str__(self) -> str:
        return f"{self.draft_id} v{self.version}"
