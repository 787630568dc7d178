"""A time-limited hold on work: on a row (`Leased`) or on a named duty (`NamedLease`)."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Leased(models.Model):
    """Columns of a row that a worker holds for a while.

    `revision` is the fencing token: a claim raises it, renewing does not, and every write of the
    holder names the revision it claimed.
    """

    revision = models.PositiveBigIntegerField(_("revision"), default=0, editable=False)
    lease_owner = models.CharField(_("held by"), max_length=100, blank=True, editable=False)
    lease_expires_at = models.DateTimeField(_("held until"), null=True, editable=False)

    class Meta:
        abstract = True


class NamedLease(Leased):
    """A duty that one process at a time does, such as sealing the audit."""

    name = models.CharField(max_length=100, primary_key=True)

    def __str__(self) -> str:
        return self.name
