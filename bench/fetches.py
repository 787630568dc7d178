"""Many fetches at once through the pipeline, beside the same ones by the bare client.

`python -m bench.fetches` works on a database of its own (DATABASE_URL: on that one) and prints one
line of JSON. Waves of the two take turns, so a slow moment of the machine meets both. The fetches
of a wave begin one after the other and all wait for the peer before the first is answered; each
has a thread of its own, as requests and runs have.
"""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.core.management import call_command
from django.db import connection

import tests.isolation  # noqa: F401  (first: a home of its own)
from bench.figures import median, p95
from bench.peer import ANSWER_SECONDS, peer_process
from config.base.actor import Actor, Origin
from config.base.ids import uuid7
from config.base.outbound.client import OutboundClient
from config.base.outbound.deadline import Deadline
from config.base.outbound.hops import OutboundRequest
from config.base.transactions import release_connection
from tests.processes.people import person
from tools.models import Tool
from tools.pipeline import call_tool
from tools.schemas import CallContext
from tools.types.fetch.config import FetchConfig

AT_ONCE = 200
STEP_SECONDS = ANSWER_SECONDS / AT_ONCE  # between the beginnings of two
ROUNDS, WARM_UP = 3, 1
CONFIG = {"allowed_domains": ["127.0.0.1"], "allowed_private_networks": ["127.0.0.1/32"]}

type Fetch = Callable[[], None]


def main() -> None:
    call_command("migrate", verbosity=0)
    actor = Actor(user=person("bench")[0], origin=Origin.API)
    tool = Tool.objects.create(slug="local", name="Local", type="fetch", config=CONFIG)
    with peer_process() as url, ThreadPoolExecutor(AT_ONCE) as threads:
        bare, through = _bare(url), _through(tool, url, actor)
        rounds = [(_wave(threads, bare), _wave(threads, through)) for _ in range(WARM_UP + ROUNDS)][
            WARM_UP:
        ]
    over = [
        took - without
        for wave, other in rounds
        for without, took in zip(wave, other, strict=True)
    ]  # fmt: skip
    print(json.dumps({"median": median(over), "p95": p95(over)}))


def _wave(threads: ThreadPoolExecutor, fetch: Fetch) -> list[float]:
    """Milliseconds of each, in the order in which they began."""
    begins = time.perf_counter() + 0.1

    def timed(number: int) -> float:
        time.sleep(max(0.0, begins + number * STEP_SECONDS - time.perf_counter()))
        started = time.perf_counter()
        fetch()
        took = time.perf_counter() - started
        release_connection()
        return took * 1000

    return list(threads.map(timed, range(AT_ONCE)))


def _bare(url: str) -> Fetch:
    policy = FetchConfig.model_validate(CONFIG).policy()

    def fetch() -> None:
        OutboundClient(policy).send(OutboundRequest(url=url), Deadline.after(30))

    return fetch


def _through(tool: Tool, url: str, actor: Actor) -> Fetch:
    def fetch() -> None:
        context = CallContext(
            actor=actor, idempotency_key=f"bench:{uuid7()}", tool_set={tool.slug: False}
        )
        outcome = call_tool(tool, {"url": url}, context)
        if outcome.result is None:
            raise SystemExit(f"the call did not succeed: {outcome.error}")

    return fetch


if __name__ == "__main__":
    main()
    connection.close()
