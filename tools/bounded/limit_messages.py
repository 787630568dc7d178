"""How a computation that was stopped is told. Beside the child's own code: this needs Django."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tools.bounded.failures import LIMIT, Refused
from tools.errors import ToolFailure

_MESSAGES = {
    "time": gettext_lazy("It ran too long and was stopped."),
    "memory": gettext_lazy("It needs too much memory, or nests too deeply."),
    "output": gettext_lazy("The result is too long."),
    "number": gettext_lazy("A number or a range is too large."),
}


def limit_failure(refused: Refused) -> ToolFailure:
    """For a `Refused` with the code `limit`, by its detail."""
    message = _MESSAGES.get(refused.detail)
    return ToolFailure(str(message) if message else _("It is too large."), code=LIMIT)
