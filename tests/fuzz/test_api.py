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

import httpx
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
    schema = save_schema(server, tmp_path)
    for name, share in SHARES.items():
        done = fuzz(server, schema, tokens[name], round(SECONDS * share))
        assert done.returncode == 0, f"As {name}:\n{done.stdout}{done.stderr}"


def save_schema(server: Server, folder: Path) -> Path:
    """Once for all of them: making it takes a second, and many on a busy machine."""
    answer = httpx.get(f"{server.url}/api/schema/", timeout=120)
    assert answer.status_code == 200
    path = folder / "openapi.yaml"
    path.write_bytes(answer.content)
    return path


def fuzz(
    server: Server, schema: Path, token: str, seconds: int
) -> subprocess.CompletedProcess[str]:
    options = {
        "--url": server.url,
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
            *(str(FUZZER), "--no-color", "--config-file", str(CONFIG)),
            *("run", str(schema), *given),
            *("--no-shrink", "--continue-on-failure"),
        ],
        cwd=schema.parent,  # it keeps notes where it runs
        capture_output=True,
        text=True,
        timeout=seconds + 120,
        check=False,
    )
