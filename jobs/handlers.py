"""What runs a job: a handler for its kind. ARCHITECTURE.md has the recipe."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, ClassVar
from uuid import UUID

from django.utils.functional import Promise
from pydantic import BaseModel, ConfigDict, JsonValue

from config.base.actor import Actor, Origin
from config.base.errors import GatehouseError
from jobs.enums import CreateBy
from jobs.errors import JobLeaseLost
from jobs.models import Job


class Payload(BaseModel):
    """Base of payloads: what is not declared is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoPayload(Payload):
    """For kinds that need none."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """How the product's own work recurs: `migrate` makes its series."""

    cron: str
    zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class JobCall[PayloadT: BaseModel]:
    """One start of a job, as its handler sees it."""

    job: Job
    payload: PayloadT
    lost: Event = field(default_factory=Event)  # set when somebody else may have taken it over

    @property
    def id(self) -> UUID:
        """The same at every attempt: what makes an effect happen once, here and outside."""
        return self.job.pk

    @property
    def actor(self) -> Actor | None:
        """The owner; None for the product's own work."""
        return Actor(self.job.owner, Origin.JOB) if self.job.owner else None

    def check(self) -> None:
        """Before each effect outside: raises `JobLeaseLost` when somebody else may have it."""
        if self.lost.is_set():
            raise JobLeaseLost


class Handler[PayloadT: BaseModel]:
    """Runs at least once; what `apply` writes is written exactly once.

    An error of `prepare` or `apply` fails the attempt, `PermanentFailure` the job.
    """

    kind: ClassVar[str]
    description: ClassVar[str | Promise] = ""  # a sentence: what it does
    version: ClassVar[int] = 1
    oldest_version: ClassVar[int] = 1  # payloads of older ones are refused for good
    payload_model: ClassVar[type[BaseModel]] = NoPayload
    max_attempts: ClassVar[int] = 3
    hard_limit_seconds: ClassVar[float] = 60.0  # of `prepare` and `apply` together
    create_by: ClassVar[CreateBy] = CreateBy.NOBODY
    recurrence: ClassVar[Recurrence | None] = None

    def check_permission(self, job: Job, payload: PayloadT) -> None:
        """Raises `PermanentFailure` when it may not run.

        Asked when the job is created and again in the transaction that starts each attempt: a
        permission taken back before then keeps the handler from being called. It reads, and writes
        nothing: that transaction may be the one that completes the job before this one.
        """

    def audit_facts(self, job: Job) -> Mapping[str, str]:
        """More of `AuditEntry` for each event of this job: on whose part it acts."""
        return {}

    def attempt_failed(self, job: Job, error: GatehouseError) -> None:
        """In the transaction that writes down that an attempt failed, was lost, or might not begin
        for good (`started_at` is then null). What goes wrong here changes nothing of that.
        """

    def prepare(self, call: JobCall[PayloadT]) -> Any:
        """Outside any transaction: waiting, the network, models. Its answer is given to `apply`."""

    def apply(self, call: JobCall[PayloadT], prepared: Any) -> JsonValue:
        """The effects, in the transaction that completes the job; answers the job's result.

        Writes to the database only, and short ones: on PostgreSQL a pause as long as a lease
        between two statements ends the transaction, and with it the attempt.
        """
        return None
