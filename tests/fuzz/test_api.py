"""The API keeps to its own OpenAPI document, whatever a client sends.

A schema-driven fuzzer plays each operation on a served product: examples, values at the edges of
the schema and beyond, random ones, and in the long form what one answer links to. It finds fault
with a 5xx, a status, content type, header or body that the document does not name, what violates
the schema and is accepted, an operation that works without signing in, a wrong `Allow`.

FUZZ_SECONDS (30) is the time for each database; from two minutes on PostgreSQL has its turn too.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes.harness import Server

SECONDS = int(os.environ.get("FUZZ_SECONDS", "30"))
LONG = SECONDS >= 120
DATABASES = ("sqlite", "postgres") if LONG else ("sqlite",)
PHASES = "examples,coverage,fuzzing" + (",stateful" if LONG else "")
SEED = 20260726
SHARES = {"operator": 0.55, "alice": 0.3, "reader": 0.15}  # of the time
FUZZER = Path(sys.executable).parent / "schemathesis"
CONFIG = Path(__file__).with_name("schemathesis.toml")


@pytest.mark.parametrize("database_url", DATABASES, indirect=True)
def test_the_api_keeps_to_its_document(
    server: Server, tokens: dict[str, str], tmp_path: Path
) -> None:
    for name, share in SHARES.items():
        done = fuzz(server, tokens[name], round(SECONDS * share), tmp_path)
        assert done.returncode == 0, f"As {name}:\n{done.stdout}{done.stderr}"


def fuzz(
    server: Server, token: str, seconds: int, folder: Path
) -> subprocess.CompletedProcess[str]:
    options = {
        "--header": f"Authorization: Bearer {token}",
        "--phases": PHASES,
        "--seed": str(SEED),
        "--max-time": str(seconds),
        "--request-timeout": "30",
        "--warnings": "off",
        "--output-sanitize": "false",  # the tokens die with the product
    }
    given = [part for option in options.items() for part in option]
    return subprocess.run(
        [
            *(FUZZER, "--no-color", "--config-file", CONFIG),
            *("run", f"{server.url}/api/schema/", *given),
            *("--no-shrink", "--continue-on-failure"),
        ],
        cwd=folder,  # it keeps notes where it runs
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
    )
