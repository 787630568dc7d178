"""What was done, by whom, and the seals that prove it was not changed afterwards.

Both tables only grow: the code refuses here, the database refuses by triggers (`skills.triggers`).
"""

import uuid
from collections.abc import Iterable
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from config.base.actor import Origin
from config.base.audit import Outcome
from config.base.ids import uuid7
from skills.errors import AppendOnly

OUTCOMES = [
    (Outcome.ALLOWED.value, _("allowed")),
    (Outcome.DENIED.value, _("denied")),
    (Outcome.SUCCEEDED.value, _("succeeded")),
    (Outcome.FAILED.value, _("failed")),
    (Outcome.CANCELLED.value, _("cancelled")),
]
ORIGINS = [(origin.value, origin.value) for origin in Origin]
ACTOR_KINDS = [("user", _("user")), ("operator", _("operator")), ("system", _("system"))]


class AppendOnlyQuerySet[M: models.Model](models.QuerySet[M, M]):
    def update(self, **_changes: Any) -> NoReturn:
        raise AppendOnly

    def bulk_update(self, *_args: Any, **_options: Any) -> NoReturn:
        raise AppendOnly

    def update_or_create(self, *_args: Any, **_options: Any) -> NoReturn:
        raise AppendOnly

    def delete(self) -> NoReturn:
        raise AppendOnly

    def _raw_delete(self, using: str | None) -> NoReturn:
        raise AppendOnly

    def bulk_create(self, objs: Iterable[M], *args: Any, **options: Any) -> list[M]:
        if args or options.get("ignore_conflicts") or options.get("update_conflicts"):
            raise AppendOnly
        return super().bulk_create(objs, **options)


class AppendOnlyModel(models.Model):
    objects = AppendOnlyQuerySet.as_manager()

    class Meta:
        abstract = True
        base_manager_name = "objects"

    def save(self, *, using: str | None = None, **options: Any) -> None:
        if not self._state.adding:
            raise AppendOnly
        super().save(force_insert=True, using=using)

    def delete(self, *_args: Any, **_options: Any) -> NoReturn:
        raise AppendOnly


class AuditSubject(models.Model):
    """Ties the subject of events to a person; deleting the person deletes this row, and with it
    the tie. The id is random: it says nothing about the person, not even when they came.

    Made with `skills.subjects.facts_of_new`, and never changed: a person's events would become
    another's. The database refuses that too (`skills.triggers`), and the MAC shows it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="audit_subject"
    )
    mac = models.CharField(max_length=64, editable=False)  # `skills.hashing.subject_mac`

    class Meta:
        verbose_name = _("audit subject")
        verbose_name_plural = _("audit subjects")

    def __str__(self) -> str:
        return str(self.pk)

    def save(self, *, using: str | None = None, **_options: Any) -> None:
        if not self._state.adding:
            raise AppendOnly
        super().save(force_insert=True, using=using)


class AuditEvent(AppendOnlyModel):
    """No foreign key leads out of it, so nothing that is deleted elsewhere can touch it.

    `row_hash` covers every field but the id, which the database gives; the seal covers both. A
    field added later must have an empty default: empty fields are left out of the hash.
    """

    id = models.BigAutoField(_("number"), primary_key=True)  # the sequence
    event_id = models.UUIDField(_("id"), default=uuid7, unique=True, editable=False)
    recorded_at = models.DateTimeField(_("recorded"), db_index=True)
    action = models.CharField(_("action"), max_length=64)
    outcome = models.CharField(_("outcome"), max_length=16, choices=OUTCOMES)
    subject = models.UUIDField(_("subject"), null=True, db_index=True)
    actor = models.CharField(_("actor"), max_length=16, choices=ACTOR_KINDS)
    agent_id = models.UUIDField(_("agent"), null=True)
    conversation_id = models.UUIDField(_("conversation"), null=True)
    run_id = models.UUIDField(_("run"), null=True, db_index=True)
    origin = models.CharField(_("origin"), max_length=16, choices=ORIGINS, blank=True)
    skill = models.CharField(_("skill"), max_length=100, blank=True)
    skill_version = models.CharField(_("skill version"), max_length=32, blank=True)
    tool = models.CharField(_("tool"), max_length=100, blank=True)
    scope = models.CharField(_("scope"), max_length=64, blank=True)
    target_type = models.CharField(_("target type"), max_length=64, blank=True)
    target_id = models.CharField(_("target"), max_length=200, blank=True, db_index=True)
    reason_code = models.CharField(_("reason"), max_length=100, blank=True)
    metadata = models.JSONField(_("details"), default=dict, blank=True)
    row_hash = models.CharField(_("row hash"), max_length=64, editable=False)

    class Meta(AppendOnlyModel.Meta):
        verbose_name = _("audit event")
        verbose_name_plural = _("audit events")
        ordering = ["-id"]
        # The partial ones cost nothing to the many events that are not in them. Queries repeat
        # their conditions to the letter (`skills.selectors`): SQLite needs that to use them.
        indexes = [
            models.Index(fields=["action", "id"], name="audit_by_action"),
            models.Index(fields=["tool", "id"], name="audit_by_tool", condition=Q(tool__gt="")),
            models.Index(fields=["skill", "id"], name="audit_by_skill", condition=Q(skill__gt="")),
            models.Index(
                fields=["conversation_id", "id"],
                name="audit_by_conversation",
                condition=Q(conversation_id__isnull=False),
            ),
            models.Index(
                fields=["agent_id", "id"],
                name="audit_by_agent",
                condition=Q(agent_id__isnull=False),
            ),
            models.Index(
                fields=["reason_code", "id"],
                name="audit_by_reason",
                condition=Q(reason_code__gt=""),
            ),
            models.Index(
                fields=["outcome", "id"],
                name="audit_by_outcome",
                condition=Q(outcome__gte="cancelled", outcome__lte="failed"),
            ),
            models.Index(
                fields=["subject", "id"], name="audit_denials", condition=Q(outcome="denied")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} · {self.get_outcome_display()}"


class AuditSeal(AppendOnlyModel):
    """Seals the events after those of seal n - 1 up to `last_event`; see `skills.seals`.

    A seal without events and with `dropped_through` says that retention dropped the events of all
    seals up to that one.
    """

    n = models.BigIntegerField(_("number"), primary_key=True)
    first_event = models.BigIntegerField(_("first event"))
    last_event = models.BigIntegerField(_("last event"))
    event_count = models.PositiveIntegerField(_("events"))
    dropped_through = models.BigIntegerField(_("dropped through seal"), null=True)
    entries = models.BinaryField()  # id and row hash of each event, in order
    ids_digest = models.CharField(_("digest of ids and row hashes"), max_length=64)
    previous = models.CharField(_("previous seal"), max_length=64, blank=True)
    hmac = models.CharField(_("seal"), max_length=64)
    sealed_at = models.DateTimeField(_("sealed"))

    class Meta(AppendOnlyModel.Meta):
        verbose_name = _("audit seal")
        verbose_name_plural = _("audit seals")
        ordering = ["-n"]

    def __str__(self) -> str:
        return f"{self.n}:{self.hmac[:12]}"

    @property
    def head(self) -> str:
        """`COUNT:SEAL`: kept outside, it shows later whether the end of the chain was cut."""
        return f"{self.n}:{self.hmac}"
