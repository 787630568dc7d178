from django.utils.translation import gettext_lazy as _

from jobs.handlers import Recurrence
from jobs.housekeeping import Housekeeping
from jobs.registry import register
from skills.alerts.delivery import AlertWebhook
from skills.retention import drop_old_events


@register
class AuditEvents(Housekeeping):
    kind = "housekeeping.audit_events"
    description = _("Drops audit events that are older than they have to be kept.")
    recurrence = Recurrence("37 3 * * *")
    purges = {"events": drop_old_events}


register(AlertWebhook)
