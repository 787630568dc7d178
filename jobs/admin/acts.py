"""What operators decide about a job or a series: the page asks, and only a POST does it."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

from config.base.actor import Actor
from config.base.admin_base import admin_actor
from config.base.errors import GatehouseError
from jobs import services
from jobs.enums import WAITING, JobStatus

if TYPE_CHECKING:
    from config.base.admin_base import ReadOnlyAdmin


@dataclass(frozen=True, slots=True)
class Act:
    title: Any
    says: Any
    icon: str
    do: Callable[[Actor, UUID], Any]
    fits: Callable[[Any], bool]  # whether a row offers it; whether it may be done says the service


CANCEL = Act(
    lazy("Cancel the job"),
    lazy("It will not run. A job that runs already can't be called back."),
    "cancel",
    services.cancel_job,
    lambda job: job.status in WAITING,
)
RETRY = Act(
    lazy("Try again"),
    lazy("At once, with as many attempts more as its kind has."),
    "replay",
    services.retry_job,
    lambda job: job.status == JobStatus.FAILED,
)
RUN_NOW = Act(
    lazy("Run now"),
    lazy("It is due at once instead of waiting for its time."),
    "play_arrow",
    services.run_job_now,
    lambda job: job.status in WAITING,
)
PAUSE = Act(
    lazy("Pause"),
    lazy("Nothing more of it runs until it is resumed; a job that runs goes on."),
    "pause",
    services.pause_series,
    lambda series: series.is_active,
)
RESUME = Act(
    lazy("Resume"),
    lazy("It goes on with its next time."),
    "play_arrow",
    services.resume_series,
    lambda series: series.paused_at is not None and series.ended_at is None,
)
END = Act(
    lazy("End"),
    lazy("For good: nothing more of it runs. What ran stays."),
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
        messages.success(request, _("Done: %(act)s.") % {"act": act.title})


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
        facts: dict[str, Any] = {"act": act.title, "n": done}
        messages.success(request, _("%(act)s: %(n)d done.") % facts)
    for reason, n in refused.items():
        facts = {"act": act.title, "n": n, "reason": reason}
        messages.warning(request, _("%(act)s: %(n)d not done. %(reason)s") % facts)
