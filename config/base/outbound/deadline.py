"""One point in time by which a whole call ends, whatever part of it is slow."""

import time
from dataclasses import dataclass

from django.utils.translation import gettext as _

from config.base.outbound.errors import OutboundTimeout


@dataclass(frozen=True, slots=True)
class Deadline:
    at: float  # of time.monotonic()

    @classmethod
    def after(cls, seconds: float) -> "Deadline":
        return cls(time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds, above zero. Raises `OutboundTimeout`."""
        left = self.at - time.monotonic()
        if left <= 0:
            raise OutboundTimeout(_("The call did not end in time."))
        return left
