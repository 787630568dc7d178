"""How statuses and content look on the operator's pages."""

from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import as_block, search_link
from jobs.enums import AttemptOutcome, JobStatus

STATUS_COLOURS: dict[str, str] = {
    JobStatus.COMPLETED: "success",
    JobStatus.FAILED: "danger",
    JobStatus.RETRYING: "warning",
    JobStatus.RUNNING: "info",
    JobStatus.SCHEDULED: "info",
}
OUTCOME_COLOURS: dict[str, str] = {
    AttemptOutcome.COMPLETED: "success",
    AttemptOutcome.FAILED: "danger",
    AttemptOutcome.LOST: "danger",
    JobStatus.RUNNING: "info",
}


def audit_link(row: Any) -> Any:
    return search_link("skills_auditevent", row.pk, _("Show them"))


def content_block(value: Any, *, shown: bool, address: str) -> Any:
    """What somebody wrote is a click away, and that click is on record."""
    if shown:
        return as_block(value)
    if value in (None, {}):
        return "–"
    text = _("Show it; this is recorded")
    return format_html('<a href="{}" class="text-link">{}</a>', address, text)
