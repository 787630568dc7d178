"""Procrastinate's tasks, for asynchronous workers that run ten of them at a time.

The message is written by psycopg on a pool of its own: of its ways the quickest.
"""

import os

from procrastinate import App, PsycopgConnector
from psycopg_pool import AsyncConnectionPool

from bench.queues.marks import MESSAGE, now_text, tally

CONCURRENCY = 10

_database = os.environ["DATABASE_URL"]
app = App(connector=PsycopgConnector(conninfo=_database, max_size=CONCURRENCY))
_pool = AsyncConnectionPool(
    _database, min_size=CONCURRENCY, kwargs={"autocommit": True}, open=False
)


@app.task(name="message")
async def message(message_id: str, conversation_id: str) -> None:
    began = now_text()
    await _pool.open()  # does nothing from the second time on
    async with _pool.connection() as connection:
        await connection.execute(MESSAGE, [conversation_id, message_id, began])


@app.task(name="nothing")
async def nothing() -> None:
    tally()
