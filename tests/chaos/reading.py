"""Reading the facts of a run that is over from tables and files."""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count

from agents.models import Conversation, Message
from jobs.models import Job, JobAttempt
from jobs.models.job import JobQuerySet
from tests.chaos.facts import Attempt, Change, Effect, Facts, JobRow, Ledger, Span, State
from tests.chaos.machines import Machine
from tests.chaos.producer import LEDGER


def read_facts(home: Path, machines: list[Machine], outages: list[Span]) -> Facts:
    return Facts(
        jobs=_jobs(),
        changes=_changes(),
        starts=[start for machine in machines for start in machine.starts()],
        attempts=[
            Attempt(pk.hex, number, outcome)
            for pk, number, outcome in JobAttempt.objects.filter(job__in=ours()).values_list(
                "job", "number", "outcome"
            )
        ],
        effects=[Effect(*row) for row in _rows("SELECT job, revision, owner FROM chaos_effect")],
        messages=Counter(Message.objects.values_list("text", flat=True)),
        ledger=read_ledger(home / LEDGER),
        machines=[machine.story for machine in machines],
        outages=outages,
        counted=list(
            Conversation.objects.annotate(there=Count("messages")).values_list(
                "message_count", "there"
            )
        ),
        retry_seconds=settings.JOB_RETRY_SECONDS,
    )


def claims_since(at: float) -> set[int]:
    """The workers that claimed something."""
    rows = _rows("SELECT new FROM chaos_log WHERE at > %s ORDER BY seq", at)
    return {state.pid for (new,) in rows if (state := _state(new)).status == "running"}


def read_ledger(file: Path) -> Ledger:
    ledger = Ledger()
    for line in file.read_text().splitlines():
        said: dict[str, Any] = json.loads(line)
        job = said["job"]
        match said["what"]:
            case "enqueued":
                ledger.enqueued.append(job)
                ledger.by_key.setdefault(said["key"], set()).add(job)
            case "cancelled":
                ledger.cancelled.add(job)
            case "revoked":
                ledger.revoked[job] = said["at"]
            case _:
                ledger.refused += 1
    return ledger


def ours() -> JobQuerySet:
    """Not the product's own work, which recurs for ever."""
    return Job.objects.filter(kind__startswith="chaos.")


def _jobs() -> dict[str, JobRow]:
    rows = ours().values_list("pk", "status", "attempts", "max_attempts", "last_error_code")
    return {job.hex: JobRow(*row) for job, row in ((row[0], row[1:]) for row in rows)}


def _changes() -> dict[str, list[Change]]:
    changes: dict[str, list[Change]] = {}
    for at, job, old, new in _rows("SELECT at, job, old, new FROM chaos_log ORDER BY seq"):
        change = Change(at, None if old is None else _state(old), _state(new))
        changes.setdefault(UUID(job).hex, []).append(change)
    for job in Job.objects.exclude(pk__in=ours().values("pk")):
        changes.pop(job.pk.hex, None)
    return changes


def _state(text: str) -> State:
    return State(**json.loads(text))


def _rows(statement: str, *values: Any) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())
