"""A server to fetch from: in a process of its own, and as slow to answer as a page far away."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.server import ROOT

ANSWER_SECONDS = 3.0
BODY = b"Some words of a page.\n" * 100
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s"
BACKLOG = 1024


@contextmanager
def peer_process() -> Iterator[str]:
    """Its URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.peer"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        port = process.stdout.readline().strip() if process.stdout else ""
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.kill()
        process.wait()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.sleep(ANSWER_SECONDS)
    writer.write(ANSWER % (len(BODY), BODY))
    await writer.drain()
    writer.close()


async def _serve() -> None:
    server = await asyncio.start_server(_answer, "127.0.0.1", 0, backlog=BACKLOG)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve())
