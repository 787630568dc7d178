"""Model calls that a tool makes: counted to the person's day and, within a run, to the run.

Both are held before the model is asked and settled once, whatever became of it. Of calls that go
on at once each takes its part of one row, so that together they find a budget used up.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce
from django.utils import timezone

from agents.model_clients.errors import ModelError, ModelTimeout
from agents.model_clients.fallback import most_of
from agents.model_clients.metering import Meter, added
from agents.model_clients.protocol import ModelClient, ModelReply, ModelRequest, Usage
from agents.model_clients.supervised import supervised
from agents.models import Run
from agents.runs.budgets import check_run, hold_day, settle, tokens_of, usd_of
from config.base.actor import Actor
from config.base.errors import LeaseLost
from tools.budgets.limits import limits_anew
from tools.budgets.usage import Hold, release_hold


@dataclass(frozen=True, slots=True)
class _Held:
    """What was taken for one question. `run_id`: None outside a run."""

    day: Hold
    most: Usage
    run_id: UUID | None


def ask_aside(
    actor: Actor,
    client: ModelClient,
    request: ModelRequest,
    *,
    seconds: float,
    look_up: Callable[[], None],
) -> ModelReply:
    """One question on the actor's account, within so many seconds and outside any transaction.

    Raises `BudgetExceeded` unasked, `ModelError`, and what `look_up` raises when nobody waits any
    more: then the model's connection is cut.
    """
    held, meter = _hold(actor, client, request), Meter()
    try:
        reply = _listen(actor, client, request, meter, seconds, look_up)
    except ModelTimeout:
        _settle(held, meter.used_or_sent(), given_up=True)
        raise
    except ModelError:
        used = meter.used()
        _release(held) if used == Usage() else _settle(held, used, given_up=True)
        raise
    except BaseException:
        _settle(held, meter.used_or_sent(), given_up=True)
        raise
    _settle(held, added(reply.usage, meter.wasted()))
    return reply


def _listen(
    actor: Actor,
    client: ModelClient,
    request: ModelRequest,
    meter: Meter,
    seconds: float,
    look_up: Callable[[], None],
) -> ModelReply:
    person, reply = actor.user.pk, None
    try:
        for item in supervised(
            client, request, seconds=seconds, look_up=look_up, meter=meter, person=person
        ):
            reply = item if isinstance(item, ModelReply) else None
    except (ModelError, LeaseLost):
        raise
    except Exception as error:  # a client that raises anything else has failed all the same
        raise ModelError from error
    if reply is None:
        raise ModelError
    return reply


# --- What it costs ---


@transaction.atomic
def _hold(actor: Actor, client: ModelClient, request: ModelRequest) -> _Held:
    limits, tokens = limits_anew(actor.user), tokens_of(request)
    most = most_of(client, tokens)
    run = _locked_run(actor.run_id)
    if run is not None:
        used = run.input_tokens + run.output_tokens
        check_run(limits, used, run.cost_usd or Decimal(0), tokens=tokens)
        _add_to_run(run.pk, most, Usage())
    day = hold_day(actor.user, tokens, limits, most, now=timezone.now())
    return _Held(day, most, run.pk if run else None)


def _locked_run(run_id: UUID | None) -> Run | None:
    if run_id is None:
        return None
    return Run.objects.select_for_update(of=("self",)).filter(pk=run_id).first()


@transaction.atomic
def _settle(held: _Held, used: Usage, *, given_up: bool = False) -> None:
    """What was given up has cost its prompt all the same."""
    if given_up:
        used = replace(used, input_tokens=max(used.input_tokens, held.most.input_tokens))
    _add_to_run(held.run_id, used, held.most)
    settle(held.day, used)


@transaction.atomic
def _release(held: _Held) -> None:
    """Nobody answered: nothing was used."""
    _add_to_run(held.run_id, Usage(), held.most)
    release_hold(held.day)


def _add_to_run(run_id: UUID | None, used: Usage, instead_of: Usage) -> None:
    """Whoever drives the run, and if nobody does any more: it was used."""
    if run_id is None:
        return
    changes: dict[str, Any] = {
        "input_tokens": F("input_tokens") + (used.input_tokens - instead_of.input_tokens),
        "output_tokens": F("output_tokens") + (used.output_tokens - instead_of.output_tokens),
    }
    if used.cost_usd is not None or instead_of.cost_usd is not None:
        cost = usd_of(used) - usd_of(instead_of)
        changes["cost_usd"] = Coalesce(F("cost_usd"), Decimal(0)) + cost
    if used.estimated:
        changes["usage_estimated"] = True
    Run.objects.filter(pk=run_id).update(**changes)
