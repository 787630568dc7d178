from django.utils.translation import gettext_lazy as _

from jobs.handlers import Recurrence
from jobs.housekeeping import Housekeeping
from jobs.registry import register
from tools.services import purge_old_content


@register
class CallContent(Housekeeping):
    kind = "housekeeping.call_content"
    description = _("Throws away the content of old tool calls; the calls themselves stay.")
    recurrence = Recurrence("17 * * * *")
    purges = {"calls": purge_old_content}
