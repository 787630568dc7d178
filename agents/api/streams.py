"""Server-sent events of a run: they only read its event log, from any process.

The iterator is async because under ASGI a sync one would be consumed whole before its first byte;
its reads run in threads that give their connection back.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from uuid import UUID

from django.db import connection
from django.http import StreamingHttpResponse

from agents.models import Run, RunEvent, RunStatus
from agents.selectors import list_events

POLL_SECONDS = 0.1
HEARTBEAT_SECONDS = 15
CONTENT_TYPE = "text/event-stream"


def stream_response(run: Run, *, after: int = 0) -> StreamingHttpResponse:
    response = StreamingHttpResponse(stream_events(run.pk, after=after), content_type=CONTENT_TYPE)
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    response["X-Run-Id"] = str(run.pk)
    return response


async def stream_events(run_id: UUID, *, after: int) -> AsyncIterator[str]:
    """Everything since `after`, then what comes, until the run rests or is over."""
    quiet_since = time.monotonic()
    yield ": connected\n\n"
    while True:
        rows, over = await asyncio.to_thread(_read, run_id, after)
        for row in rows:
            after = row.seq
            yield encode(row)
        if over and not rows:
            return
        if rows:
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since >= HEARTBEAT_SECONDS:
            quiet_since = time.monotonic()
            yield ": still here\n\n"
        if not rows:
            await asyncio.sleep(POLL_SECONDS)


def encode(row: RunEvent) -> str:
    data = json.dumps(row.data, ensure_ascii=False)
    return f"id: {row.seq}\nevent: {row.type}\ndata: {data}\n\n"


def _read(run_id: UUID, after: int) -> tuple[list[RunEvent], bool]:
    try:
        status = Run.objects.filter(pk=run_id).values_list("status", flat=True).first()
        rests = status not in (RunStatus.QUEUED, RunStatus.RUNNING)
        return list_events(run_id, after=after), rests
    finally:
        connection.close()
