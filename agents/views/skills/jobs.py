"""The jobs of background skills, as the page lists them and looks at them again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.views.skills.places import Places
from agents.views.skills.rules import in_words
from config.base.models import User
from config.base.moments import moment_in
from jobs.enums import WAITING, CancelReason, JobStatus
from jobs.errors import InvalidRecurrence
from jobs.models import Job, JobSeries
from jobs.reasons import explain
from jobs.recurrence import iter_slots
from skills.background.selectors import list_background_jobs
from skills.definitions import MAX_NOTE_LENGTH
from skills.models import SkillJob
from skills.registry import find_skill
from tools.quoting import quote

ON_A_PAGE = 10
SOON = timedelta(minutes=2)
_SECONDS_SOON, _SECONDS_LATER = 3, 30  # between two looks
_SHOWN_SLOTS = 3

_STATES: dict[str, tuple[Any, str]] = {
    JobStatus.SCHEDULED: (gettext_lazy("waiting"), "info"),
    JobStatus.RUNNING: (gettext_lazy("running"), "accent"),
    JobStatus.RETRYING: (gettext_lazy("retrying"), "warn"),
    JobStatus.COMPLETED: (gettext_lazy("completed"), "ok"),
    JobStatus.FAILED: (gettext_lazy("failed"), "danger"),
    JobStatus.CANCELLED: (gettext_lazy("cancelled"), ""),
}


@dataclass(frozen=True, slots=True)
class Moment:
    """`elsewhere`: by the clock of its series, where that is not the person's own."""

    at: datetime
    elsewhere: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    id: UUID
    title: str
    agent: str
    conversation: tuple[str, str] | None
    status: str
    label: str
    kind: str  # of the badge
    due: Moment
    attempts: int
    max_attempts: int
    error: str
    is_wanted: bool  # the person ended it: no failure
    rule: str
    rests: bool  # its series begins nothing until it goes on
    upcoming: Sequence[Moment]
    is_cancellable: bool
    is_endable: bool


@dataclass(frozen=True, slots=True)
class JobList:
    page: Page[Job]
    lines: Sequence[JobLine]
    seconds: int  # until it is worth another look; 0: never

    @property
    def seen(self) -> str:
        """Another one as soon as anything in the list is, or it is to be looked at sooner."""
        return sha256(repr((self.lines, self.seconds)).encode()).hexdigest()[:16]


def job_list(user: User, number: str | None, now: datetime) -> JobList:
    """The newest first, by its index. Places are looked up for all at once."""
    rows = list_background_jobs(user).order_by("-created_at", "-pk")
    page = Paginator(rows, ON_A_PAGE).get_page(number)
    jobs = list(page.object_list)
    kept = [_kept(job) for job in jobs]
    places = Places.of(
        user,
        [one.agent_id for one in kept if one],
        [one.conversation_id for one in kept if one],
    )
    lines = [_line(job, one, places, now, user) for job, one in zip(jobs, kept, strict=True)]
    return JobList(page, lines, _seconds(jobs, now))


def _kept(job: Job) -> SkillJob | None:
    """None for a job that was made past its skill."""
    return getattr(job.series or job, "skill_job", None)


def _is_newest(job: Job, series: JobSeries) -> bool:
    """Nothing was planned after it, whichever jobs are on this page."""
    until = series.planned_until
    return until is None or (job.planned_at is not None and job.planned_at >= until)


def _line(job: Job, kept: SkillJob | None, places: Places, now: datetime, user: User) -> JobLine:
    label, kind = _STATES[_state(job)]
    series = job.series
    going = series if series and series.ended_at is None and _is_newest(job, series) else None
    return JobLine(
        id=job.pk,
        title=_title(job),
        agent=places.agent(kept.agent_id if kept else None),
        conversation=places.link(kept.conversation_id if kept else None),
        status=_state(job),
        label=str(label),
        kind=kind,
        due=_moment(job.next_attempt_at or job.scheduled_at, series, user),
        attempts=job.attempts,
        max_attempts=job.max_attempts,
        error=_error(job),
        is_wanted=job.last_error_code == CancelReason.SERIES_ENDED,
        rule=in_words(series) if series else "",
        rests=bool(going and going.paused_at),
        upcoming=[
            _moment(at, going, user)
            for at in (_upcoming(going, max(now, job.planned_at or now)) if going else ())
        ],
        is_cancellable=job.status in WAITING,
        is_endable=going is not None,
    )


def _moment(at: datetime, series: JobSeries | None, user: User) -> Moment:
    if series is None or series.zone == user.time_zone:
        return Moment(at)
    return Moment(at, moment_in(series.zone, at))


def _state(job: Job) -> str:
    """What was put off before it began waits: nothing was tried yet."""
    is_put_off = job.status == JobStatus.RETRYING and not job.attempts
    return JobStatus.SCHEDULED.value if is_put_off else job.status


def _title(job: Job) -> str:
    note = quote(str(job.payload.get("note", "")), MAX_NOTE_LENGTH)
    skill = find_skill(job.kind)
    return note or str(skill.manifest.name if skill else job.kind)


def _error(job: Job) -> str:
    if job.status == JobStatus.COMPLETED or not job.last_error_code:
        return ""
    return explain(job.last_error_code, job.last_error_message) or _("The job failed.")


def _upcoming(series: JobSeries, after: datetime) -> Sequence[datetime]:
    if not series.is_active:
        return ()
    try:
        slots = iter_slots(series.cron, series.zone, after)
    except InvalidRecurrence:
        return ()
    return [slot.at for slot in islice(slots, _SHOWN_SLOTS)]


def _seconds(jobs: Iterable[Job], now: datetime) -> int:
    due = [job.next_attempt_at or now for job in jobs if not job.is_finished]
    if not due:
        return 0
    return _SECONDS_SOON if min(due) < now + SOON else _SECONDS_LATER
