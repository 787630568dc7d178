"""Sixteen writers in four processes and two sealers in two more: one chain, whole and in order."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.utils import timezone

from skills.horizon import Horizon
from skills.models import AuditEvent, AuditSeal
from skills.sealer import seal_once
from skills.verify import verify_audit
from tests.processes.harness import ROOT, Product
from tests.skills.audit import sealed_ids

PROCESSES, THREADS, TRANSACTIONS = 4, 4, 20
END_SECONDS = 400  # where they share two cores with other tests
KEPT = sum(1 + n % 2 for n in range(TRANSACTIONS) if n % 5 != 4)  # events of one thread


def test_many_writers_leave_one_audit_that_verifies(product: Product) -> None:
    before = AuditEvent.objects.count()
    with child(product, "seal"), child(product, "seal"):
        writers = [
            start(product, "write", str(THREADS), str(TRANSACTIONS)) for _ in range(PROCESSES)
        ]
        for writer in writers:
            begin(writer)
        for writer in writers:
            _told, complaints = writer.communicate(timeout=END_SECONDS)
            assert writer.returncode == 0, complaints
    sealed_meanwhile = AuditSeal.objects.count()
    seal_the_rest()

    assert sealed_meanwhile > 1
    assert AuditEvent.objects.count() - before == PROCESSES * THREADS * KEPT
    assert sealed_ids() == list(AuditEvent.objects.order_by("id").values_list("id", flat=True))
    report = verify_audit()
    assert report.problems == []
    assert report.unsealed == 0
    assert_each_thread_is_in_order()


def assert_each_thread_is_in_order() -> None:
    """What one of them wrote later stands later in the chain."""
    seen: dict[str, tuple[int, int]] = {}
    for target in AuditEvent.objects.filter(target_type="tool_call").order_by("id"):
        process, thread, n, part = target.target_id.split("-")
        writer, place = f"{process}-{thread}", (int(n), int(part))
        assert seen.get(writer, (-1, -1)) < place
        seen[writer] = place
    assert len(seen) == PROCESSES * THREADS


def seal_the_rest() -> None:
    horizon = Horizon()
    while AuditEvent.objects.filter(id__gt=last_sealed()).exists():
        seal_once(timezone.now(), horizon)


def last_sealed() -> int:
    seal = AuditSeal.objects.order_by("-n").first()
    return seal.last_event if seal else 0


def start(product: Product, *arguments: str) -> "subprocess.Popen[str]":
    """Ready, and waiting to be told."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.processes.audit_writer", *arguments],
        cwd=ROOT,
        env=product.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def begin(process: "subprocess.Popen[str]") -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


@contextmanager
def child(product: Product, *arguments: str) -> Iterator[None]:
    process = start(product, *arguments)
    begin(process)
    try:
        yield
        _told, complaints = process.communicate(timeout=END_SECONDS)
        assert process.returncode == 0, complaints
    finally:
        process.kill()
        process.wait()
