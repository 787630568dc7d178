"""One asynchronous worker of procrastinate's, without the log of each task that its command writes.

`python -m bench.queues.procrastinate_worker`
"""

import asyncio

from bench.queues.procrastinate_app import CONCURRENCY, app


async def run() -> None:
    async with app.open_async():
        await app.run_worker_async(concurrency=CONCURRENCY)


if __name__ == "__main__":
    asyncio.run(run())
