"""What operators decide about a job or a series: the page asks, and only a POST does it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from config.base.actor import Actor
from config.base.admin_base import admin_actor
from config.base.clock import database_now
from config.base.errors import GatehouseError
from jobs import services
from jobs.enums import WAITING, JobStatus
from jobs.models import Job
from jobs.selectors import paused_kinds

if TYPE_CHECKING:
    from config.base.admin_base import ReadOnlyAdmin


@dataclass(frozen=True, slots=True)
class Act:
    title: Any
    says: Any
    done: Any
    many_done: Any  # with its number, `n`
    icon: str
    do: Callable[[Actor, UUID], Any]
    fits: Callable[[Any], bool]  # whether a row offers it; whether it may be done says the service
    warns: Callable[[Any], Iterable[str]] = lambda _row: ()  # before it is done


def _warn_of_hurry(job: Job) -> Iterator[str]:
    if job.kind in paused_kinds():
        yield _("Its kind is paused: it waits all the same until the kind is resumed.")
    if job.planned_at is not None and job.planned_at > database_now():
        local = timezone.localtime(job.planned_at)
        text = _(
            "It stands for the run of its series at %(time)s, which will not take place again."
        )
        yield text % {"time": f"{local:%Y-%m-%d %H:%M}"}


CANCEL = Act(
    gettext_lazy("Cancel the job"),
    gettext_lazy("It will not run. A job that runs already can't be called back."),
    gettext_lazy("The job is cancelled."),
    ngettext_lazy("%(n)d job is cancelled.", "%(n)d jobs are cancelled.", "n"),
    "cancel",
    services.cancel_job,
    lambda job: job.status in WAITING,
)
RETRY = Act(
    gettext_lazy("Try again"),
    gettext_lazy("At once, with as many attempts more as its kind has."),
    gettext_lazy("It is tried again."),
    ngettext_lazy("%(n)d job is tried again.", "%(n)d jobs are tried again.", "n"),
    "replay",
    services.retry_job,
    lambda job: job.status == JobStatus.FAILED,
)
RUN_NOW = Act(
    gettext_lazy("Run now"),
    gettext_lazy("It is due at once instead of waiting for its time."),
    gettext_lazy("It is due now."),
    ngettext_lazy("%(n)d job is due now.", "%(n)d jobs are due now.", "n"),
    "play_arrow",
    services.run_job_now,
    lambda job: job.status in WAITING,
    _warn_of_hurry,
)
PAUSE = Act(
    gettext_lazy("Pause"),
    gettext_lazy("Nothing more of it runs until it is resumed; a job that runs goes on."),
    gettext_lazy("The series is paused."),
    ngettext_lazy("%(n)d series is paused.", "%(n)d series are paused.", "n"),
    "pause",
    services.pause_series,
    lambda series: series.is_active,
)
RESUME = Act(
    gettext_lazy("Resume"),
    gettext_lazy("It goes on with its next time."),
    gettext_lazy("The series goes on."),
    ngettext_lazy("%(n)d series goes on.", "%(n)d series go on.", "n"),
    "play_arrow",
    services.resume_series,
    lambda series: series.paused_at is not None and series.ended_at is None,
)
END = Act(
    gettext_lazy("End"),
    gettext_lazy("For good: nothing more of it runs. What ran stays."),
    gettext_lazy("The series has been ended."),
    ngettext_lazy("%(n)d series has been ended.", "%(n)d series have been ended.", "n"),
    "stop",
    services.end_series,
    lambda series: series.ended_at is None,
)


def fitting(admin: Any, offered: list[Any], row: Any, acts: Mapping[str, Act]) -> list[Any]:
    """Of unfold's actions those that fit what the row is at the moment."""
    prefix = f"{admin.opts.app_label}_{admin.opts.model_name}_"
    fit = {prefix + name for name, act in acts.items() if row is not None and act.fits(row)}
    return [one for one in offered if one.action_name in fit]


def act_page(admin: "ReadOnlyAdmin", request: HttpRequest, key: str, act: Act) -> HttpResponse:
    row = admin.get_object(request, key)
    if row is None:
        raise Http404
    address = reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])
    if request.method == "POST":
        _do(request, act, row)
        return HttpResponseRedirect(address)
    context = {
        **admin.admin_site.each_context(request),
        "opts": admin.opts,
        "original": row,
        "title": f"{act.title}: {row}",
        "act": act,
        "warnings": list(act.warns(row)),
        "row": row,
        "back": address,
    }
    return TemplateResponse(request, "admin/jobs/act.html", context)


def _do(request: HttpRequest, act: Act, row: Model) -> None:
    try:
        act.do(admin_actor(request), row.pk)
    except GatehouseError as error:
        messages.error(request, _("Not done: %(reason)s") % {"reason": error.message})
    else:
        messages.success(request, act.done)


def act_on_all(request: HttpRequest, rows: Iterable[Model], act: Act) -> None:
    """Each by itself: those that can't be done any more don't keep the others from it."""
    refused, done = Counter[str](), 0
    for row in rows:
        try:
            act.do(admin_actor(request), row.pk)
            done += 1
        except GatehouseError as error:
            refused[error.message] += 1
    if done:
        messages.success(request, act.many_done % {"n": done})
    for reason, n in refused.items():
        facts: dict[str, Any] = {"act": act.title, "n": n, "reason": reason}
        messages.warning(request, _("%(act)s: %(n)d not done. %(reason)s") % facts)
