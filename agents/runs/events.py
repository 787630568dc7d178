"""The event log of a run: numbered, fenced, what streams show."""

from contextlib import nullcontext
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F

from agents.models import Run, RunEvent
from agents.runs import news
from agents.runs.fence import RunFence
from config.base.errors import LeaseLost

type JSON = dict[str, Any]


def emit(fence: RunFence, type_: str, **data: Any) -> None:
    """The driver's events; raises `LeaseLost` when the run was taken over."""
    inside = connection.in_atomic_block  # then that fails as a whole: no savepoint of our own
    with nullcontext() if inside else transaction.atomic():
        if not fence.rows().filter(revision=fence.revision).update(last_seq=F("last_seq") + 1):
            raise LeaseLost
        _insert(fence.run_id, type_, data)


def append(run: Run, type_: str, data: JSON) -> None:
    """An event by somebody else than the driver, within a transaction that holds the run."""
    Run.objects.filter(pk=run.pk).update(last_seq=F("last_seq") + 1)
    _insert(run.pk, type_, data)


def _insert(run_id: UUID, type_: str, data: JSON) -> None:
    """After the number was raised in the same transaction, which holds the row until it ends."""
    run = Run.objects.only("last_seq", "conversation_id").get(pk=run_id)
    if run.conversation_id is None:
        return  # the conversation was deleted: there is nobody left to show it to
    RunEvent.objects.create(
        run_id=run.pk, conversation_id=run.conversation_id, seq=run.last_seq, type=type_, data=data
    )
    transaction.on_commit(partial(news.tell, run_id, type_))
