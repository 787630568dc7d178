"""A kind of job whose handler does what a test says."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import BaseModel, JsonValue

from config.base import audit
from jobs.enums import CreateBy
from jobs.handlers import Handler, JobCall, Payload
from jobs.models import Job
from jobs.testing import registered
from skills.models import AuditEvent

KIND = "test.probe"
SLOW_KIND = "test.slow"
EFFECT = "test.effect"


class Note(Payload):
    text: str = "hello"
    count: int = 1


def leave_effect(call: JobCall[Note], prepared: Any = None) -> JsonValue:
    """One row that nothing keeps from being written twice."""
    audit.record(EFFECT, audit.Outcome.SUCCEEDED, actor=None, target=("job", call.id))
    return None


def effects_of(job: Job) -> int:
    return AuditEvent.objects.filter(action=EFFECT, target_id=str(job.pk)).count()


@dataclass
class Script:
    """What the probe does, and what was asked of it."""

    check: Callable[[Job], None] = lambda _job: None
    prepare: Callable[[JobCall[Note]], Any] = lambda _call: None
    apply: Callable[[JobCall[Note], Any], JsonValue] = leave_effect
    prepared: list[JobCall[Note]] = field(default_factory=list)
    applied: list[JobCall[Note]] = field(default_factory=list)

    def fail_with(self, error: BaseException) -> None:
        def fail(_call: JobCall[Note]) -> None:
            raise error

        self.prepare = fail

    def fail_after_effect_with(self, error: BaseException) -> None:
        def fail(call: JobCall[Note], _prepared: Any) -> JsonValue:
            leave_effect(call)
            raise error

        self.apply = fail

    def refuse_with(self, error: Exception) -> None:
        def refuse(_job: Job) -> None:
            raise error

        self.check = refuse


class Probe(Handler[Note]):
    kind = KIND
    version = 3
    oldest_version = 2
    payload_model: ClassVar[type[BaseModel]] = Note
    create_by = CreateBy.OWNERS
    script: ClassVar[Script] = Script()

    def check_permission(self, job: Job, payload: Note) -> None:
        self.script.check(job)

    def prepare(self, call: JobCall[Note]) -> Any:
        self.script.prepared.append(call)
        return self.script.prepare(call)

    def apply(self, call: JobCall[Note], prepared: Any) -> JsonValue:
        self.script.applied.append(call)
        return self.script.apply(call, prepared)


class Slow(Probe):
    kind = SLOW_KIND
    hard_limit_seconds = 600.0


@contextmanager
def scripted() -> Iterator[Script]:
    """Both kinds are there, and do nothing special yet."""
    Probe.script = Script()
    with registered(Probe, Slow):
        yield Probe.script
