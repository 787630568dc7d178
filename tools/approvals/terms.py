"""What a person chooses when they say that they need not be asked again."""

from dataclasses import dataclass

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from config.base.errors import InvalidInput

DEFAULT_HOURS = 24
MAX_HOURS = 30 * 24
MAX_USES = 1000


class ApprovalScope(TextChoices):
    CONVERSATION = "conversation", gettext_lazy("this agent, in this conversation")
    AGENT = "agent", gettext_lazy("this agent, in every conversation")
    ANY = "any", gettext_lazy("every agent, in every conversation")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """For whom, for how long, and for how many calls (None: for all that come in that time)."""

    scope: ApprovalScope
    hours: int = DEFAULT_HOURS
    uses: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.hours <= MAX_HOURS:
            self._refuse(_("hours: 1 to %(most)s.") % {"most": MAX_HOURS})
        if self.uses is not None and not 1 <= self.uses <= MAX_USES:
            self._refuse(_("uses: 1 to %(most)s.") % {"most": MAX_USES})

    @staticmethod
    def _refuse(message: str) -> None:
        raise InvalidInput(message, code="invalid_remember")
