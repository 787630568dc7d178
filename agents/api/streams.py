"""Server-sent events of a run: they only read its event log, from any process.

The iterator is async because under ASGI a sync one would be consumed whole before its first byte;
its reads run in threads that give their connection back.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse
from rest_framework.request import Request

from agents.models import Run, RunEvent
from agents.runs import news
from agents.selectors import look_at, rests
from config.base.models import ApiToken

HEARTBEAT_SECONDS = 15
RECHECK_SECONDS = 30
CONTENT_TYPE = "text/event-stream"
SIGNED_OUT = {"code": "not_authenticated", "message": "You are signed out."}


@dataclass(frozen=True, slots=True)
class _Look:
    rows: list[RunEvent]
    over: bool
    seconds_until_next: float


def stream_response(request: Request, run: Run, *, after: int = 0) -> StreamingHttpResponse:
    """What is there already is read with the request, and sent without waiting for a thread."""
    first = _read(run.pk, after)
    events = stream_events(run.pk, after=after, may_go_on=sign_in_check(request), first=first)
    response = StreamingHttpResponse(events, content_type=CONTENT_TYPE)
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    response["X-Run-Id"] = str(run.pk)
    return response


async def stream_events(
    run_id: UUID,
    *,
    after: int,
    may_go_on: Callable[[], bool] = lambda: True,
    first: _Look | None = None,
) -> AsyncIterator[str]:
    """Everything since `after`, then what comes, until the run rests or is over.

    `may_go_on` is asked every 30 s: a token revoked or a session ended meanwhile ends the stream.
    """
    heartbeat, recheck = _Every(HEARTBEAT_SECONDS), _Every(RECHECK_SECONDS)
    yield ": connected\n\n"
    for row in first.rows if first else ():
        after = row.seq
        yield encode(row)
    told = asyncio.Event()
    with news.hearing(run_id, _ear_of(told)):
        while True:
            if recheck.is_due() and not await asyncio.to_thread(_and_close, may_go_on):
                yield f"event: error\ndata: {json.dumps(SIGNED_OUT)}\n\n"
                return
            told.clear()
            look = await asyncio.to_thread(_and_close, _read, run_id, after)
            for row in look.rows:
                after = row.seq
                yield encode(row)
            if look.rows:
                heartbeat.begin()
                continue
            if look.over:
                return
            if heartbeat.is_due():
                yield ": still here\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), look.seconds_until_next)


def _ear_of(told: asyncio.Event) -> news.Ear:
    loop = asyncio.get_running_loop()

    def ear(_news: str) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(told.set)

    return ear


class _Every:
    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.begin()

    def begin(self) -> None:
        self._since = time.monotonic()

    def is_due(self) -> bool:
        due = time.monotonic() - self._since >= self._seconds
        if due:
            self.begin()
        return due


def encode(row: RunEvent) -> str:
    data = json.dumps(row.data, ensure_ascii=False)
    return f"id: {row.seq}\nevent: {row.type}\ndata: {data}\n\n"


def sign_in_check(request: Request) -> Callable[[], bool]:
    """Whether who made this request is signed in still; to be asked from any thread."""
    token = request.auth
    if isinstance(token, ApiToken):
        return lambda: ApiToken.objects.usable().filter(pk=token.pk).exists()
    user, key = request.user, request.session.session_key
    store = import_module(settings.SESSION_ENGINE).SessionStore

    def check() -> bool:
        anew = HttpRequest()
        anew.session = store(key)
        return get_user(anew) == user

    return check


def _read(run_id: UUID, after: int) -> _Look:
    run, rows = look_at(run_id, after=after)
    over = run is None or (not rows and rests(run))
    return _Look(rows, over, news.seconds_until_next_look(run) if run else 0)


def _and_close[ResultT, **P](
    read: Callable[P, ResultT], *args: P.args, **kwargs: P.kwargs
) -> ResultT:
    try:
        return read(*args, **kwargs)
    finally:
        connection.close()
