"""The virus scanner's place. `settings.KNOWLEDGE_SCANNER` names a function: path -> `Verdict`."""

import logging
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from config.base.hidden import visible
from documents.knowledge.errors import FileInfected, ScanFailed

REASON_CHARS = 200

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    is_clean: bool
    reason: str = ""  # what was found, for the person


def scan(path: Path) -> None:
    """Nothing without a scanner. Raises `FileInfected`, `ScanFailed`."""
    place = settings.KNOWLEDGE_SCANNER
    if not place:
        return
    try:
        verdict = import_string(place)(path)
        is_clean, reason = verdict.is_clean is True, str(verdict.reason)
    except Exception as error:
        log.exception("the virus scanner failed")
        raise ScanFailed from error
    if not is_clean:
        found = visible(reason, REASON_CHARS)
        message = _("The virus scanner refuses this file: %(reason)s.") % {"reason": found}
        raise FileInfected(message if found else "")
