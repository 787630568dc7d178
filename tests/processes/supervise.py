"""A supervisor of the tests' mains: `python -m tests.processes.supervise GRACE NAME=MODULE.MAIN…`

No product and no database: it is ready within a fraction of a second.
"""

import logging
import sys

from django.conf import settings

from config.base.processes.supervisor import supervise


def main(grace_seconds: str, *processes: str) -> None:
    settings.configure(STOP_GRACE_SECONDS=float(grace_seconds))
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    named = (process.split("=") for process in processes)
    supervise({name: f"tests.processes.{main}" for name, main in named})


if __name__ == "__main__":
    main(*sys.argv[1:])
