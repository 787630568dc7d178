"""Writing down how a start ended, in the transaction that ends it."""

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from uuid import UUID

from django.db import connection

from config.base.clock import now_sql
from config.base.inserts import Insertion, stored
from config.base.storable import storable
from config.base.updates import column
from jobs.enums import AttemptOutcome
from jobs.models import MAX_ERROR_LENGTH, Job, JobAttempt

_COLUMNS = ("job", "number", "outcome", "started_at", "worker", "error_code", "error_message")


@dataclass(frozen=True, slots=True)
class Start:
    """An attempt under way, as its job says it; read before the job is let go."""

    job_id: UUID
    number: int
    started_at: datetime
    worker: str

    @classmethod
    def of(cls, job: Job) -> "Start | None":
        """None: claimed, and not begun."""
        if job.started_at is None:
            return None
        return cls(job.pk, job.attempts, job.started_at, job.lease_owner)

    def ended(self, outcome: AttemptOutcome, *, code: str = "", message: str = "") -> Insertion:
        """To be written with the change of the job that ends it."""
        text = bounded_text(message)
        known = (self.job_id, self.number, outcome.value, self.started_at, self.worker, code, text)
        pairs = zip(_COLUMNS, known, strict=True)
        values = [stored(column(JobAttempt, name), value) for name, value in pairs]
        return Insertion(_statement(connection.vendor), values)

    def write(self, outcome: AttemptOutcome, *, code: str = "", message: str = "") -> None:
        self.ended(outcome, code=code, message=message).write()


def bounded_text(message: str) -> str:
    """It may quote what came from outside."""
    return str(storable(message))[:MAX_ERROR_LENGTH]


@cache
def _statement(_vendor: str) -> str:
    columns = ", ".join(f'"{column(JobAttempt, name).column}"' for name in _COLUMNS)
    marks = ", ".join(["%s"] * len(_COLUMNS))
    table = JobAttempt._meta.db_table
    return f'INSERT INTO "{table}" ({columns}, "finished_at") SELECT {marks}, {now_sql()}'
