"""`python -m tests.chaos [--db sqlite|postgres] [--seconds N] [--kills N] [--seed N]`

Ends with one line of JSON, and exit code 1 if anything was lost, doubled or violated.
"""

import argparse
import contextlib
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from scripts.system_packages import ensure_postgres
from scripts.with_postgres import Postgres, running_postgres

SETTINGS = "tests.chaos.settings"
FOREIGN = ("GATEHOUSE_", "DATABASE_URL", "DJANGO_", "PORT", "HOST")  # a developer's own


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos")
    parser.add_argument("--db", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--seconds", type=float, default=os.environ.get("CHAOS_SECONDS", "15"))
    parser.add_argument("--kills", type=int, default=0, help="go on until there were so many")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args(arguments)
    if options.db == "postgres":
        ensure_postgres()
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    signal.signal(signal.SIGTERM, _end)
    with _surroundings(options.db) as (home, server):
        from tests.chaos.run import Run

        run = Run(options.db, home, server, seed)
        return run.all(seconds=options.seconds, kills=options.kills)


@contextlib.contextmanager
def _surroundings(db: str) -> Iterator[tuple[Path, Postgres | None]]:
    """An empty database and Django on it, with nothing of the developer's."""
    for name in [name for name in os.environ if name.startswith(FOREIGN)]:
        del os.environ[name]
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="gatehouse-chaos-")))
        server = None
        if db == "postgres":
            server = stack.enter_context(running_postgres(keeps_commits=True))
            os.environ["DATABASE_URL"] = server.url
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "GATEHOUSE_HOME": str(home),
            "GATEHOUSE_SECRET_KEY": secrets.token_hex(),
            "GATEHOUSE_AUDIT_KEY": secrets.token_hex(),
            "GATEHOUSE_JOB_LEASE_SECONDS": "2",
            "GATEHOUSE_JOB_RETRY_SECONDS": "0.2",
            "GATEHOUSE_LOG_LEVEL": "WARNING",
            "PGAPPNAME": "chaos",
        }
        import django

        django.setup()
        yield home, server


def _end(signum: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + signum)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
