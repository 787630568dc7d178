"""What steers the workers: kinds that rest, the wake-up that is on its way, who is alive."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class PausedKind(models.Model):
    """Jobs of this kind wait, whatever their time, until an operator lets them go on."""

    kind = models.CharField(_("kind"), max_length=100, primary_key=True)
    paused_at = models.DateTimeField(_("paused"), auto_now_add=True)
    paused_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, verbose_name=_("by")
    )

    class Meta:
        verbose_name = _("paused kind")
        verbose_name_plural = _("paused kinds")

    def __str__(self) -> str:
        return self.kind


class Wake(models.Model):
    """The one row that lets a thousand jobs at once send one wake-up, not a thousand."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    # Until then a wake-up is believed to be under way; null: none is.
    pending_until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"pending until {self.pending_until}"


class WorkerBeat(models.Model):
    """One row for each set of worker processes; its pulse says every few seconds that it lives."""

    name = models.CharField(_("worker"), max_length=100, primary_key=True)
    machine = models.CharField(_("machine"), max_length=100)
    slots = models.PositiveSmallIntegerField(_("slots"))
    started_at = models.DateTimeField(_("started"))
    seen_at = models.DateTimeField(_("last seen"))

    class Meta:
        verbose_name = _("worker")
        verbose_name_plural = _("workers")

    def __str__(self) -> str:
        return self.name
