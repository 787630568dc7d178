"""Budgets of a run and of a person's day: tokens and money are asked for before a model is.

What a prompt and a long reply to it would cost is held before it is sent, and settled when the
reply is stored or given up. So runs that go on at once can together use no more than there is and
the reply that takes the last of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.model_clients.fallback import most_of
from agents.model_clients.protocol import ModelClient, ModelRequest, Usage
from agents.models import Run, RunStep
from agents.runs.context import size_bytes
from config.base.errors import GatehouseError
from config.base.models import User
from tools.budgets.limits import Limits, describe_renewal, limits_anew, limits_of, shown
from tools.budgets.usage import Hold, Meter, get_usage_today, hold_tokens, settle_hold

_BYTES_PER_TOKEN = 3  # near enough for what is corrected as soon as the reply is there


class BudgetExceeded(GatehouseError):
    """A budget of the run or of its owner's day is used up."""

    code = "budget_exceeded"
    http_status = 429


def hold_budget(
    run: Run, steps: Sequence[RunStep], client: ModelClient, request: ModelRequest, *, now: datetime
) -> Hold:
    """Raises `BudgetExceeded` with a sentence that names the budget and when it renews."""
    # At its first step what the run was claimed with is new enough.
    limits = limits_anew(run.owner) if steps else limits_of(run.owner)
    tokens = tokens_of(request)
    check_run(limits, *_used_by(run, steps), tokens=tokens)
    return hold_day(run.owner, tokens, limits, most_of(client, tokens), now=now)


def tokens_of(request: ModelRequest) -> int:
    """What a prompt is taken to use until its server has said what it did."""
    return size_bytes(request) // _BYTES_PER_TOKEN


def check_run(limits: Limits, used_tokens: int, used_usd: Decimal, *, tokens: int) -> None:
    """Whether a run that has used so much may ask this, too. Raises `BudgetExceeded`."""
    if limits.tokens_per_run and used_tokens + tokens > limits.tokens_per_run:
        raise BudgetExceeded(
            _("This turn's budget of %(limit)s tokens is used up. A new message begins a new one.")
            % {"limit": shown(limits.tokens_per_run)}
        )
    if limits.usd_per_run and used_usd >= limits.usd_per_run:
        raise BudgetExceeded(
            _("This turn's budget of %(limit)s USD is used up. A new message begins a new one.")
            % {"limit": shown(limits.usd_per_run)}
        )


def hold_day(user: User, tokens: int, limits: Limits, most: Usage, *, now: datetime) -> Hold:
    """Raises `BudgetExceeded`."""
    hold = hold_tokens(
        user, tokens, limits, now=now, output_tokens=most.output_tokens, cost_usd=usd_of(most)
    )
    if hold is None:
        raise _day_exceeded(user, tokens, now)
    return hold


def _used_by(run: Run, steps: Sequence[RunStep]) -> tuple[int, Decimal]:
    """By its row as soon as it has called tools: some of them ask models, too."""
    if any(step.tool_calls for step in steps):
        rows = Run.objects.filter(pk=run.pk)
        told, heard, usd = rows.values_list("input_tokens", "output_tokens", "cost_usd").get()
        return told + heard, usd or Decimal(0)
    tokens = sum(step.input_tokens + step.output_tokens for step in steps)
    return tokens, sum((step.cost_usd or Decimal(0) for step in steps), Decimal(0))


def _day_exceeded(user: User, tokens: int, now: datetime) -> BudgetExceeded:
    usage, renewal = get_usage_today(user, now=now), describe_renewal(user, now=now)
    if usage.usd.is_full:
        text = _("Today's budget of %(limit)s USD is used up. %(renewal)s")
        return BudgetExceeded(text % {"limit": shown(usage.usd.limit), "renewal": renewal})
    text = _(
        "Today's budget of tokens does not allow this: %(used)s of %(limit)s are used, and it "
        "needs about %(needed)s. %(renewal)s"
    )
    numbers = {"used": usage.tokens.used, "limit": usage.tokens.limit, "needed": tokens}
    said = {name: shown(number) for name, number in numbers.items()}
    return BudgetExceeded(text % {**said, "renewal": renewal})


def settle(hold: Hold, usage: Usage) -> None:
    """In the transaction that stores the reply."""
    settle_hold(
        hold,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usd_of(usage),
    )


def settle_given_up(hold: Hold, usage: Usage) -> None:
    """No reply came of it. It has cost its prompt all the same, and what was said till then."""
    settle(hold, replace(usage, input_tokens=max(usage.input_tokens, hold.tokens)))


def usd_of(usage: Usage) -> Decimal:
    return Decimal(str(usage.cost_usd or 0))


def near_budgets(run: Run, steps: Sequence[RunStep], *, now: datetime) -> list[str]:
    """A warning for each budget of which most is used."""
    day = get_usage_today(run.owner, now=now)
    today = [_day_warning(meter) for meter in day if meter.is_near]
    if today:
        today[-1] = f"{today[-1]} {describe_renewal(run.owner, now=now)}"
    return [*_run_warnings(run, day.limits, steps), *today]


def _run_warnings(run: Run, limits: Limits, steps: Sequence[RunStep]) -> Iterator[str]:
    tokens, usd = _used_by(run, steps)
    calls = sum(len(step.tool_calls) for step in steps)
    meters = (
        Meter("calls_per_run", calls, limits.calls_per_run),
        Meter("tokens_per_run", tokens, limits.tokens_per_run),
        Meter("usd_per_run", usd, limits.usd_per_run),
    )
    near = _("Most of this turn's budget is used: %(used)s of %(limit)s %(unit)s.")
    full = _("This turn's budget is used up: %(limit)s %(unit)s.")
    for meter in meters:
        if meter.is_near:
            yield (full if meter.is_full else near) % _told(meter)


def _day_warning(meter: Meter) -> str:
    near = _("Most of today's budget is used: %(used)s of %(limit)s %(unit)s.")
    full = _("Today's budget is used up: %(limit)s %(unit)s.")
    return (full if meter.is_full else near) % _told(meter)


def _told(meter: Meter) -> dict[str, object]:
    units = {
        "calls": ngettext("tool call", "tool calls", int(meter.limit)),
        "tokens": ngettext("token", "tokens", int(meter.limit)),
        "usd": "USD",
    }
    unit = units[meter.name.partition("_")[0]]
    return {"used": shown(meter.used), "limit": shown(meter.limit), "unit": unit}
