"""How statuses and content look on the operator's pages."""

from typing import Any

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from config.base.admin_base import as_block, search_link
from jobs.enums import AttemptOutcome, JobStatus
from jobs.models import PausedKind

RESTING = "resting"  # it waits because its kind is paused

STATUS_COLOURS: dict[str, str] = {
    JobStatus.COMPLETED: "success",
    JobStatus.FAILED: "danger",
    JobStatus.RETRYING: "warning",
    JobStatus.RUNNING: "info",
    JobStatus.SCHEDULED: "info",
    JobStatus.CANCELLED: "neutral",
    RESTING: "warning",
}
OUTCOME_COLOURS: dict[str, str] = {
    AttemptOutcome.COMPLETED: "success",
    AttemptOutcome.FAILED: "danger",
    AttemptOutcome.LOST: "danger",
    JobStatus.RUNNING: "info",
}


def resting_words() -> Any:
    link = '<a href="{}" class="gh-in-label">{}</a>'
    return format_html(link, reverse("admin:jobs_job_kinds"), _("waits: its kind is paused"))


def kind_rests() -> Exists:
    """Whether the kind of a row is paused, in the query of the rows."""
    return Exists(PausedKind.objects.filter(kind=OuterRef("kind")))


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
