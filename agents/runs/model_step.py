"""Asking the model for the next step, and storing its reply before anything follows from it."""

from collections.abc import Callable, Generator, Hashable
from contextlib import closing
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce

from agents.model_clients.errors import ModelError
from agents.model_clients.metering import Meter, added
from agents.model_clients.protocol import (
    ModelClient,
    ModelReply,
    ModelRequest,
    Restarted,
    StreamItem,
    ToolRequest,
    Usage,
)
from agents.model_clients.supervised import supervised
from agents.models import Conversation, Run, RunStep
from agents.runs import events
from agents.runs.budgets import settle, settle_given_up
from agents.runs.context import Fitted
from agents.runs.fence import RunFence
from agents.runs.pieces import Pieces
from agents.runs.skill_step import keep_unfollowed
from config.base.errors import LeaseLost
from config.base.faults import fault_point
from config.base.storable import storable
from tools.budgets.usage import Hold, release_hold

_GRACE_SECONDS = 5.0  # beyond the client's own deadline, whose error says more than ours


def open_step(
    fence: RunFence, run: Run, conversation: Conversation, n: int, begun: RunStep | None
) -> RunStep:
    """The step's row; one that a killed process has `begun` is begun anew as the next attempt."""
    if begun is not None:
        if not begun.replied:
            _restart(fence, begun)
        return begun
    with transaction.atomic():
        events.emit(fence, "step.started", step=n)  # fenced, so first
        return RunStep.objects.create(run=run, conversation=conversation, n=n)


def _restart(fence: RunFence, step: RunStep) -> None:
    with transaction.atomic():
        step.attempt += 1
        step.save(update_fields=["attempt"])
        events.emit(fence, "step.restarted", step=step.n, attempt=step.attempt)


def ask(fence: RunFence, client: ModelClient, fitted: Fitted, step: RunStep, *, hold: Hold) -> None:
    """Stream the reply into events, then commit it: it is never asked for again.

    `hold` is what was taken from the owner's budget for it. Raises `ModelError`: then what its
    server has said so far counts, and nothing if it said nothing. A run that was stopped, too, has
    cost what was asked and said by then; a day's budget needs no hold of the run.
    """
    meter = Meter()
    try:
        reply = _listen(fence, client, fitted.request, step, meter)
        fault_point("step.asked")
        spent = added(reply.usage, meter.wasted())
        _store(fence, step, reply, notices=fitted.notices, hold=hold, spent=spent)
    except ModelError:
        used = meter.used()
        if used == Usage():
            release_hold(hold)
        else:
            settle_given_up(hold, used)
        raise
    except LeaseLost:
        settle_given_up(hold, meter.used_or_sent())
        raise


def _listen(
    fence: RunFence, client: ModelClient, request: ModelRequest, step: RunStep, meter: Meter
) -> ModelReply:
    pieces = Pieces(fence, step.n)
    owner = step.run.owner_id
    with closing(_items(client, request, pieces.look_up, meter, owner)) as items:
        for item in items:
            if isinstance(item, ModelReply):
                pieces.store()
                return item
            if isinstance(item, Restarted):
                pieces.drop()
                _restart(fence, step)
            else:
                pieces.add(item.text)
    raise ModelError


def _items(
    client: ModelClient,
    request: ModelRequest,
    look_up: Callable[[], None],
    meter: Meter,
    owner: Hashable,
) -> Generator[StreamItem]:
    """A client that raises anything else than it promised has failed all the same.

    One that speaks over a network says how long it may take; it is waited for from outside.
    """
    patience: float | None = getattr(client, "patience_seconds", None)
    try:
        if patience is None:
            yield from client.stream(request)
        else:
            seconds = patience + _GRACE_SECONDS
            yield from supervised(
                client, request, seconds=seconds, look_up=look_up, meter=meter, person=owner
            )
    except (ModelError, LeaseLost):
        raise
    except Exception as error:
        raise ModelError from error


def _store(
    fence: RunFence,
    step: RunStep,
    reply: ModelReply,
    *,
    notices: tuple[str, ...],
    hold: Hold,
    spent: Usage,
) -> None:
    usage = reply.usage
    with transaction.atomic():
        _count(fence, reply)  # fenced, so first
        step.text = storable(reply.text)
        step.tool_calls = storable([_kept(request) for request in reply.tool_calls])
        step.replied = True
        step.model, step.warnings = reply.model, [*notices, *reply.warnings]
        step.input_tokens, step.output_tokens = usage.input_tokens, usage.output_tokens
        step.usage_estimated = usage.estimated
        if usage.cost_usd is not None:
            step.cost_usd = Decimal(str(usage.cost_usd))
        step.save(update_fields=_OF_A_REPLY)
        if reply.unfollowed:
            keep_unfollowed(step.run)
        settle(hold, spent)
    fault_point("step.replied")


_OF_A_REPLY = (
    *("text", "tool_calls", "replied", "model", "warnings"),
    *("input_tokens", "output_tokens", "usage_estimated", "cost_usd"),
)


def _count(fence: RunFence, reply: ModelReply) -> None:
    """What the reply cost, added to its run, which is held until the transaction ends."""
    usage = reply.usage
    counted = fence.held().update(
        input_tokens=F("input_tokens") + usage.input_tokens,
        output_tokens=F("output_tokens") + usage.output_tokens,
        model=reply.model,
        **_spent(usage),
    )
    if not counted:
        raise LeaseLost


def _kept(request: ToolRequest) -> dict[str, Any]:
    return {
        "id": request.id,
        "name": request.name,
        "arguments": request.arguments,
        "raw_arguments": request.raw_arguments[:2000],
    }


def _spent(usage: Usage) -> dict[str, Any]:
    """Unknown stays unknown: a model without a price adds nothing, not zero."""
    told: dict[str, Any] = {"usage_estimated": True} if usage.estimated else {}
    if usage.cost_usd is not None:
        spent = Decimal(str(usage.cost_usd))
        told["cost_usd"] = Coalesce(F("cost_usd"), Decimal(0)) + spent
    return told
