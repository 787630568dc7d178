"""Procrastinate's tasks, for asynchronous workers that run ten of them at a time.

Of its ways to write the message the quickest: one statement of SQL on a pool of its own, nothing
of Django's.
"""

import os
from uuid import UUID

from procrastinate import App, PsycopgConnector
from psycopg_pool import AsyncConnectionPool

from bench.queues.marks import now_text, tally

CONCURRENCY = 10
MESSAGE = """
    WITH counted AS (
        UPDATE agents_conversation
        SET message_count = message_count + 1, unread = unread + 1, updated_at = now()
        WHERE id = %s RETURNING id, message_count
    )
    INSERT INTO agents_message (id, conversation_id, position, role, text, provenance, created_at)
    SELECT %s, id, message_count, 'notice', %s, '[]', now() FROM counted
"""

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
        await connection.execute(MESSAGE, [UUID(conversation_id), UUID(message_id), began])


@app.task(name="nothing")
async def nothing() -> None:
    tally()
