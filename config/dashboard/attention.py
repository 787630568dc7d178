"""What somebody should look at, the worst first: each with the list that shows it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.models import Run, RunStatus
from config.base.admin_base import short_span
from config.base.admin_links import list_link
from config.base.admin_periods import Period
from config.base.audit import Outcome
from config.base.models import User
from config.dashboard.job_section import failed_link
from jobs.health import Queue
from jobs.models import PausedKind
from skills.models import AuditEvent
from skills.sealer import last_seal
from skills.verifying import last_verification
from tools.configs import load_config
from tools.enums import DraftState
from tools.errors import InvalidToolConfig, UnknownToolType
from tools.log.figures import ToolFigures
from tools.mcp.changes import TYPE as MCP_TYPE
from tools.models import ActionDraft, Tool
from tools.models.draft import WAITING
from tools.secrets.lost import count_lost

DANGER, WARNING, INFO = "danger", "warning", "info"
_ORDER = (DANGER, WARNING, INFO)
LONG_WAIT = timedelta(minutes=15)
UNDRIVEN = timedelta(minutes=1)
UNSEALED = timedelta(minutes=1)
FAILING_CALLS, FAILING_RATE = 5, 0.2
TOOLS_LOOKED_AT = 500
CHANGED_SHOWN = 5
VERIFY_EVERY = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Item:
    level: str
    text: str
    link: str


def list_attention(
    user: User,
    period: Period,
    tools: Sequence[ToolFigures],
    now: datetime,
    queue: Queue | None,
    failed_jobs: int,
) -> list[Item]:
    """What this person may see of it; `queue`: for who may see jobs."""
    parts: list[tuple[str, Callable[[], Iterator[Item]]]] = [
        ("tools.view_actiondraft", lambda: _drafts(now)),
        ("tools.view_toolcall", lambda: _failing(tools, period)),
        ("tools.view_tool", _changed_tools),
        ("tools.view_tool", _rows),
        ("tools.view_secret", _secrets),
        ("agents.view_run", lambda: _runs(period, now)),
        ("jobs.view_job", lambda: _jobs(period, queue, failed_jobs)),
        ("skills.view_auditevent", lambda: _audit(now)),
    ]
    items = [item for code, part in parts if user.has_perm(code) for item in part()]
    return sorted(items, key=lambda item: _ORDER.index(item.level))


def _drafts(now: datetime) -> Iterator[Item]:
    counts = ActionDraft.objects.filter(state__in=(*WAITING, DraftState.OUTCOME_UNKNOWN)).aggregate(
        unknown=Count("pk", filter=Q(state=DraftState.OUTCOME_UNKNOWN)),
        old=Count(
            "pk", filter=Q(state__in=WAITING, created_at__lt=now - LONG_WAIT, expires_at__gt=now)
        ),
    )
    if n := counts["unknown"]:
        text = ngettext(
            "%(n)d action was sent and nobody knows whether it arrived.",
            "%(n)d actions were sent and nobody knows whether they arrived.",
            n,
        )
        state = DraftState.OUTCOME_UNKNOWN.value
        yield Item(DANGER, text % {"n": n}, list_link("tools_actiondraft", state=state))
    if n := counts["old"]:
        text = ngettext(
            "%(n)d draft has waited for its person for over 15 minutes.",
            "%(n)d drafts have waited for their person for over 15 minutes.",
            n,
        )
        link = list_link("tools_actiondraft", state="waiting", until=now - LONG_WAIT)
        yield Item(WARNING, text % {"n": n}, link)


def _failing(tools: Sequence[ToolFigures], period: Period) -> Iterator[Item]:
    for tool in tools:
        if tool.failed < FAILING_CALLS or tool.error_rate < FAILING_RATE:
            continue
        text = _("%(tool)s fails: %(failed)d of %(calls)d calls.")
        facts = {"tool": tool.slug, "failed": tool.failed, "calls": tool.calls}
        failed = {"tool": tool.slug, "failed": "1", "since": period.since}
        yield Item(DANGER, text % facts, list_link("tools_toolcall", **failed))


def _changed_tools() -> Iterator[Item]:
    """Each for itself: what its server says of it now must be read before it is called again."""
    rows = Tool.objects.filter(type=MCP_TYPE, config__has_key="changed_descriptor")
    changed = list(rows.values_list("pk", "slug"))
    text = _("%(tool)s says something else at its MCP server and is off: look at what changed.")
    for key, slug in changed[:CHANGED_SHOWN]:
        link = reverse("admin:tools_tool_descriptor", args=[key])
        yield Item(DANGER, text % {"tool": slug}, link)
    if more := len(changed[CHANGED_SHOWN:]):
        text = ngettext(
            "%(n)d more tool says something else at its MCP server.",
            "%(n)d more tools say something else at their MCP server.",
            more,
        )
        link = list_link("tools_tool", type__exact=MCP_TYPE, enabled__exact="0")
        yield Item(DANGER, text % {"n": more}, link)


def _secrets() -> Iterator[Item]:
    if lost := sum(count_lost().values()):
        text = ngettext(
            "%(n)d secret can't be opened: its key is not in GATEHOUSE_SECRETS_KEY.",
            "%(n)d secrets can't be opened: their key is not in GATEHOUSE_SECRETS_KEY.",
            lost,
        )
        yield Item(DANGER, text % {"n": lost}, list_link("tools_secret"))


def _rows() -> Iterator[Item]:
    rows = list(Tool.objects.only("pk", "slug", "type", "config", "enabled")[:TOOLS_LOOKED_AT])
    for tool in rows:
        if tool.enabled and (problem := _problem(tool)):
            text = _("%(tool)s can't be used: %(problem)s") % {
                "tool": tool.slug,
                "problem": problem,
            }
            yield Item(DANGER, text, reverse("admin:tools_tool_change", args=[tool.pk]))
    off = sum(not tool.enabled and not tool.config.get("changed_descriptor") for tool in rows)
    if off:
        text = ngettext("%(n)d tool is switched off.", "%(n)d tools are switched off.", off)
        yield Item(INFO, text % {"n": off}, list_link("tools_tool", enabled__exact="0"))


def _problem(tool: Tool) -> str:
    try:
        load_config(tool.type, tool.config)
    except (UnknownToolType, InvalidToolConfig) as error:
        return error.message
    return ""


def _runs(period: Period, now: datetime) -> Iterator[Item]:
    queued = Run.objects.filter(
        finished_at__isnull=True, status=RunStatus.QUEUED, created_at__lt=now - UNDRIVEN
    ).count()
    if queued:
        text = ngettext(
            "%(n)d run has waited for over a minute for a process that drives it.",
            "%(n)d runs have waited for over a minute for a process that drives them.",
            queued,
        )
        link = list_link("agents_run", status__exact=RunStatus.QUEUED.value)
        yield Item(DANGER, text % {"n": queued}, link)
    failed = Run.objects.filter(created_at__gte=period.since, status=RunStatus.FAILED).count()
    if failed:
        text = ngettext("%(n)d run failed.", "%(n)d runs failed.", failed)
        link = list_link(
            "agents_run", status__exact=RunStatus.FAILED.value, created_at__gte=period.since
        )
        yield Item(WARNING, text % {"n": failed}, link)


def _jobs(period: Period, queue: Queue | None, failed: int) -> Iterator[Item]:
    if queue and queue.is_stalled and queue.age_seconds:
        text = _("Jobs wait and none runs: the oldest one for %(time)s.")
        facts = {"time": short_span(timedelta(seconds=queue.age_seconds))}
        yield Item(DANGER, text % facts, list_link("jobs_workerbeat"))
    if failed:
        text = ngettext("%(n)d job failed.", "%(n)d jobs failed.", failed)
        yield Item(WARNING, text % {"n": failed}, failed_link(period))
    paused = PausedKind.objects.count()
    if paused:
        text = ngettext("%(n)d kind of jobs is paused.", "%(n)d kinds of jobs are paused.", paused)
        yield Item(INFO, text % {"n": paused}, reverse("admin:jobs_job_kinds"))


def _audit(now: datetime) -> Iterator[Item]:
    seal = last_seal()
    tail = AuditEvent.objects.filter(pk__gt=seal.last_event if seal else 0)
    oldest = tail.order_by("pk").values_list("recorded_at", flat=True).first()
    if oldest and oldest < now - UNSEALED:
        text = _("The sealer is behind: audit events since %(time)s are not sealed.")
        facts = {"time": oldest.isoformat(timespec="seconds")}
        yield Item(DANGER, text % facts, list_link("skills_auditseal"))
    link = reverse("admin:skills_auditevent_verify_page")
    last = last_verification()
    if last and last.outcome != Outcome.SUCCEEDED:
        yield Item(DANGER, _("The last verification of the audit found problems."), link)
    elif last is None:
        yield Item(INFO, _("The audit was never verified."), link)
    elif last.recorded_at < now - VERIFY_EVERY:
        yield Item(INFO, _("The audit was not verified for a week."), link)
