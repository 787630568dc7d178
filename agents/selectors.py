"""Reads that more than one caller needs."""

import json
import threading
import time
from collections.abc import Iterable
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from agents.models import Agent, Conversation, Message, Run, RunEvent, RunStatus
from agents.runs import news
from agents.runs.fence import stored_key
from agents.runs.keys import call_key, parse_call_key
from config.base.errors import NotFound
from config.base.models import User
from config.base.search_words import search_words
from config.base.transactions import release_connection
from tools.models import ToolCall


def list_agents(user: User) -> QuerySet[Agent]:
    return Agent.objects.for_user(user)


def oldest_agent(agents: Iterable[Agent]) -> Agent | None:
    """Of those open to a person: whom one speaks with who names none."""
    return min(agents, key=lambda agent: (agent.created_at, agent.pk), default=None)


def list_conversations(user: User) -> QuerySet[Conversation]:
    rows = Conversation.objects.for_user(user).select_related("agent", "project")
    return rows.order_by("-updated_at", "-pk")


def count_unread_conversations(user: User) -> int:
    """Of the frame's badge: where something was said that this person has not looked at."""
    return Conversation.objects.for_user(user).filter(unread__gt=0).count()


def search_conversations(user: User, q: str) -> QuerySet[Conversation]:
    """Each word stands in the title; without one, all of them. Raises `InvalidInput` (too_long)."""
    rows = list_conversations(user)
    for word in search_words(q):
        rows = rows.filter(title__icontains=word)
    return rows


def get_conversation(user: User, conversation_id: UUID) -> Conversation:
    found = list_conversations(user).filter(pk=conversation_id).first()
    if found is None:
        raise NotFound
    return found


def list_messages(conversation: Conversation) -> QuerySet[Message]:
    return Message.objects.filter(conversation=conversation).order_by("position")


def list_runs(user: User) -> QuerySet[Run]:
    rows = Run.objects.for_user(user).select_related("owner", "agent", "conversation")
    return rows.order_by("-created_at", "-pk")


def get_run(user: User, run_id: UUID) -> Run:
    found = list_runs(user).filter(pk=run_id).first()
    if found is None:
        raise NotFound
    return found


def find_resumed_run(call: ToolCall) -> Run | None:
    """The run that goes on after a decision about this call; None while others of its step wait."""
    run = Run.objects.filter(pk=call.run_id).first() if call.run_id else None
    if run is None or (run.status == RunStatus.WAITING and _others_wait(run, call)):
        return None
    return run


def _others_wait(run: Run, call: ToolCall) -> bool:
    named = parse_call_key(call.idempotency_key)
    if named is None:
        return False
    step = call_key(run.pk, named[1], 0).removesuffix("0")
    rows = ToolCall.objects.open().filter(run_id=run.pk).exclude(pk=call.pk)
    return rows.filter(idempotency_key__startswith=step).exists()


# Asked by every open stream at each event, so it is not composed anew. One statement: what a run
# at rest has written is then all that there will be.
_LOOK = """
    SELECT run.status, run.lease_owner, event.seq, event.type, event.data
    FROM agents_run run
    LEFT JOIN agents_runevent event ON event.run_id = run.id AND event.seq > %s
    WHERE run.id = %s ORDER BY event.seq LIMIT 500
"""


def look_at(run_id: UUID, *, after: int) -> tuple[Run | None, list[RunEvent]]:
    """Where the run stands (nothing else is known of it), and its events after this one."""
    with connection.cursor() as cursor:
        cursor.execute(_LOOK, [after, stored_key(run_id)])
        rows = cursor.fetchall()
    if not rows:
        return None, []
    run = Run(pk=run_id, status=rows[0][0], lease_owner=rows[0][1])
    events = [
        RunEvent(run_id=run_id, seq=seq, type=type_, data=json.loads(data))
        for _status, _owner, seq, type_, data in rows
        if seq is not None
    ]
    return run, events


def wait_for_run(run: Run, *, seconds: float) -> Run:
    """The run once it rests (finished, or waiting for a person), or as it is after `seconds`.

    Gives the connection back between looks: a waiting request must not hold one of the pool's.
    """
    deadline = time.monotonic() + seconds
    ended = threading.Event()

    def ear(told: str) -> None:
        if told in news.ENDS:
            ended.set()

    with news.hearing(run.pk, ear):
        found = _standing(run)  # it may have ended before we listened
        while not rests(found) and (left := deadline - time.monotonic()) > 0:
            release_connection()
            ended.wait(min(left, news.seconds_until_next_look(found)))
            ended.clear()
            found = _standing(run)
    run.refresh_from_db()
    return run


def _standing(run: Run) -> Run:
    found, _events = look_at(run.pk, after=run.last_seq)
    if found is None:
        raise Run.DoesNotExist
    return found


def rests(run: Run) -> bool:
    """It is over, or waits for a person; what only waits to be taken up again does not rest."""
    if run.is_finished:
        return True
    if run.status != RunStatus.WAITING:
        return False
    return ToolCall.objects.open().filter(run_id=run.pk).exists()
