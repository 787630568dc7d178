"""Turns over real HTTP, with a model that costs nothing: what is left is our own."""

import asyncio
import time
from collections.abc import Sequence

import httpx

from bench.figures import Figure, median, p95

TURNS, WARM_UP = 120, 12
ARRIVAL_SECONDS = 0.04
MESSAGES = "/api/agent/messages/"


def measure_turns(url: str, token: str) -> list[Figure]:
    """From the POST to the whole response; every other turn goes on in its conversation."""
    times: list[float] = []
    conversation: str | None = None
    with httpx.Client(base_url=url, headers=_headers(token), timeout=60) as client:
        for n in range(WARM_UP + TURNS):
            going_on = {"conversation_id": conversation} if n % 2 else {}
            body = {"text": "hello", "enable_tools": True, **going_on}
            started = time.perf_counter()
            answer = client.post(MESSAGES, json=body).json()
            times.append((time.perf_counter() - started) * 1000)
            if answer.get("status") != "COMPLETED":
                raise SystemExit(f"the turn did not complete: {answer}")
            conversation = answer["conversation_id"]
    times = times[WARM_UP:]
    return [
        Figure("turn_overhead_p95_ms", "a turn without its model, p95", p95(times), limit=60),
        Figure("turn_overhead_median_ms", "  the same, median", median(times)),
    ]


def measure_streams(url: str, tokens: Sequence[str]) -> list[Figure]:
    """One arrives every 40 ms and its answer takes four seconds: soon all are open at once."""
    opened = asyncio.run(_all_streams(url, tokens))
    firsts, ends = [first for first, _end in opened], [end for _first, end in opened]
    return [
        Figure(
            "streams_first_event_p95_ms",
            f"{len(tokens)} streams, first event of each, p95",
            p95(firsts),
            limit=300,
        ),
        Figure("streams_first_event_median_ms", "  the same, median", median(firsts)),
        Figure("streams_end_p95_ms", "  the last event of each, p95", p95(ends)),
    ]


async def _all_streams(url: str, tokens: Sequence[str]) -> list[tuple[float, float]]:
    limits = httpx.Limits(max_connections=len(tokens))
    async with httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as client:
        await asyncio.gather(*(_stream(client, token, "hello") for token in tokens[:5]))
        return await asyncio.gather(
            *(
                _stream(client, token, "slowly", n * ARRIVAL_SECONDS)
                for n, token in enumerate(tokens)
            )
        )


async def _stream(
    client: httpx.AsyncClient, token: str, text: str, delay: float = 0
) -> tuple[float, float]:
    """Milliseconds until the first event and until the end."""
    await asyncio.sleep(delay)
    headers = {**_headers(token), "Accept": "text/event-stream"}
    first, finished = 0.0, False
    started = time.perf_counter()
    async with client.stream("POST", MESSAGES, json={"text": text}, headers=headers) as response:
        async for line in response.aiter_lines():
            if line.startswith("event:"):
                first = first or (time.perf_counter() - started) * 1000
                finished = line == "event: run.finished"
    if not finished:
        raise SystemExit(f"a stream broke off: {response.status_code}")
    return first, (time.perf_counter() - started) * 1000


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
