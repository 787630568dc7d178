from jobs.handlers import Recurrence
from jobs.housekeeping import Housekeeping
from jobs.registry import register
from tools.services import purge_old_content


@register
class CallContent(Housekeeping):
    kind = "housekeeping.call_content"
    recurrence = Recurrence("17 * * * *")
    purges = {"calls": purge_old_content}
