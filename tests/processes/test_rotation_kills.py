"""`manage.py rotate_secrets`, killed: every secret can be read, and the next run does the rest."""

import signal
import subprocess
from typing import Any

import pytest

from config.base.actor import Actor, Origin
from skills.models import AuditEvent
from tests.processes.harness import MANAGE, Product
from tests.processes.people import person
from tools.models import Secret
from tools.secrets.rotation import BATCH
from tools.secrets.services import create_secret
from tools.secrets.use import resolve_secret

OLD, NEW = "o" * 40, "n" * 40
NAMES = [f"s{n:03}" for n in range(BATCH + 5)]


@pytest.mark.parametrize(("fault", "done"), [("secrets.written", 0), ("secrets.resealed", BATCH)])
def test_a_killed_rotation_is_simply_run_again(
    product: Product, settings: Any, fault: str, done: int
) -> None:
    settings.SECRETS_KEYS = [OLD]
    actor = Actor(user=person("operator", staff=True)[0], origin=Origin.ADMIN)
    for name in NAMES:
        create_secret(actor, name=name, value=f"value of {name}", allowed_hosts=["a.example"])
    settings.SECRETS_KEYS = [NEW, OLD]
    (product.home / "faults").mkdir()

    killed = subprocess.run(
        [*MANAGE, "rotate_secrets"],
        env={**product.environment(), "GATEHOUSE_FAULTS": fault},
        capture_output=True,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert AuditEvent.objects.filter(action="secret.resealed").count() == done
    assert opened() == NAMES

    said = product.manage("rotate_secrets")
    assert said == f"{len(NAMES) - done} sealed anew, {done} were sealed with the newest key\n"
    assert AuditEvent.objects.filter(action="secret.resealed").count() == len(NAMES)
    settings.SECRETS_KEYS = [NEW]
    assert opened() == NAMES
    assert Secret.objects.values("key_id").distinct().count() == 1


def opened() -> list[str]:
    return [resolve_secret(name, "a.example").removeprefix("value of ") for name in NAMES]
