"""The event log of a run: numbered, fenced, what streams show."""

from contextlib import nullcontext
from functools import partial
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from agents.models import Run, RunEvent, RunStatus
from agents.runs import news
from agents.runs.fence import RunFence, stored_key
from config.base.errors import LeaseLost
from config.base.inserts import insert

type JSON = dict[str, Any]

# Not composed anew: a run writes many events.
_NEXT_NUMBER = """
    UPDATE agents_run SET last_seq = last_seq + 1 WHERE id = %s AND status = %s AND revision = %s
    RETURNING last_seq, conversation_id
"""


def emit(fence: RunFence, type_: str, **data: Any) -> None:
    """The driver's events; raises `LeaseLost` when the run was taken over.

    Holds the run until the transaction ends, as the fence itself does.
    """
    inside = connection.in_atomic_block  # then that fails as a whole: no savepoint of our own
    with nullcontext() if inside else transaction.atomic():
        with connection.cursor() as cursor:
            key = stored_key(fence.run_id)
            cursor.execute(_NEXT_NUMBER, [key, RunStatus.RUNNING.value, fence.revision])
            row = cursor.fetchone()
        if row is None:
            raise LeaseLost
        number, conversation_id = row
        _insert(fence.run_id, conversation_id, number, type_, data)


def note(run: Run, type_: str, data: JSON) -> None:
    """An event by somebody else than the driver, within a transaction that holds this run.

    Its number is `run.last_seq`, which the caller raises and stores together with what it is about.
    """
    _insert(run.pk, run.conversation_id, run.last_seq, type_, data)


def _insert(
    run_id: UUID, conversation_id: UUID | None, number: int, type_: str, data: JSON
) -> None:
    if conversation_id is None:
        return  # the conversation was deleted: there is nobody left to show it to
    event = RunEvent(
        run_id=run_id, conversation_id=conversation_id, seq=number, type=type_, data=data
    )
    insert([event])
    transaction.on_commit(partial(news.tell, run_id, type_))
