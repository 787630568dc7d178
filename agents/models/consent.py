"""A person's leave that a conversation lets something out to a service, for a time."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from agents.models.conversation import Conversation
from config.base.ids import uuid7
from tools.enums import ConsentKind

if TYPE_CHECKING:
    from config.base.models import User


class ConsentQuerySet(models.QuerySet["Consent"]):
    def for_user(self, user: "User") -> "ConsentQuerySet":
        """Whose conversation it is."""
        return self.filter(conversation__owner=user)

    def in_force(self) -> "ConsentQuerySet":
        return self.filter(until__gt=Now())


class Consent(models.Model):
    """Given for one conversation, one kind and one service; it goes with the conversation.

    `service` is where data goes, as the person was shown it: another one is asked for anew.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        related_name="consents",
        db_index=False,
        verbose_name=_("conversation"),
    )
    kind = models.CharField(_("kind"), max_length=10, choices=ConsentKind)
    service = models.CharField(_("service"), max_length=300)
    until = models.DateTimeField(_("until"))
    given_at = models.DateTimeField(_("given"))

    objects = ConsentQuerySet.as_manager()

    class Meta:
        verbose_name = _("consent")
        verbose_name_plural = _("consents")
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "kind", "service"], name="one_consent_per_service"
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.service}"
