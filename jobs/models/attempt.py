"""How each start of a job ended. A row is written when it has ended and never changed."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from jobs.enums import AttemptOutcome
from jobs.models.job import MAX_ERROR_LENGTH, Job


class JobAttempt(models.Model):
    job = models.ForeignKey(
        Job,
        on_delete=models.CASCADE,
        related_name="attempt_rows",
        db_index=False,
        verbose_name=_("job"),
    )
    number = models.PositiveSmallIntegerField(_("attempt"))
    outcome = models.CharField(_("outcome"), max_length=10, choices=AttemptOutcome)
    started_at = models.DateTimeField(_("started"))
    finished_at = models.DateTimeField(_("finished"))
    worker = models.CharField(_("worker"), max_length=100)
    error_code = models.CharField(_("error code"), max_length=100, blank=True)
    error_message = models.CharField(_("error"), max_length=MAX_ERROR_LENGTH, blank=True)

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ["job", "number"]
        constraints = [
            models.UniqueConstraint(fields=["job", "number"], name="one_row_per_attempt")
        ]
        indexes = [models.Index(fields=["finished_at"], name="attempt_finished")]

    def __str__(self) -> str:
        return f"{self.number} {self.outcome}"
