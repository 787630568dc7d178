"""What is known of a run once it is over: all that the invariants are checked from."""

from collections import Counter
from dataclasses import dataclass, field

type Span = tuple[float, float]  # from and until, seconds since 1970


@dataclass(frozen=True, slots=True)
class State:
    """A job's row."""

    status: str
    revision: int = 0
    owner: str = ""
    lease_until: float | None = None
    due_at: float | None = None
    attempts: int = 0
    started_at: float | None = None

    @property
    def pid(self) -> int:
        """Of its owner, whose name is machine:pid:token."""
        return int(self.owner.split(":")[-2]) if self.owner else 0


@dataclass(frozen=True, slots=True)
class Change:
    """One insert or update of a job's row, as a trigger saw it."""

    at: float
    old: State | None
    new: State


@dataclass(frozen=True, slots=True)
class Start:
    """A handler was called: the attempt that it was told, in which process."""

    job: str
    number: int
    pid: int


@dataclass(frozen=True, slots=True)
class Attempt:
    job: str
    number: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What a handler's transaction wrote: the revision and the owner that it believed to be."""

    job: str
    revision: int
    owner: str


@dataclass(frozen=True, slots=True)
class JobRow:
    status: str
    attempts: int
    max_attempts: int
    error_code: str


@dataclass(frozen=True, slots=True)
class Sight:
    """A look at one machine: whether nobody is missing or stopped, and its workers."""

    at: float
    is_whole: bool
    workers: frozenset[int]


@dataclass(slots=True)
class MachineStory:
    name: str
    slots: int
    sights: list[Sight] = field(default_factory=list)
    blows: list[float] = field(default_factory=list)  # each kill, freeze and cut that hit it
    served_at_end: bool = True


@dataclass(slots=True)
class Ledger:
    """What the producer was told."""

    enqueued: list[str] = field(default_factory=list)
    by_key: dict[str, set[str]] = field(default_factory=dict)
    cancelled: set[str] = field(default_factory=set)
    refused: int = 0  # cancels, with 409
    revoked: dict[str, float] = field(default_factory=dict)  # job: when its permit was gone


@dataclass(slots=True)
class Facts:
    jobs: dict[str, JobRow] = field(default_factory=dict)
    changes: dict[str, list[Change]] = field(default_factory=dict)
    starts: list[Start] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    messages: Counter[str] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    machines: list[MachineStory] = field(default_factory=list)
    outages: list[Span] = field(default_factory=list)  # of the database
    counted: list[tuple[int, int]] = field(default_factory=list)  # messages: said, and there
    retry_seconds: float = 0.2
