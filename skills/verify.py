"""Does the audit still say what was recorded, and of whom? Reads its tables once, in constant
memory."""

import hmac
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from django.db import connection, transaction

from skills.hashing import hash_event, subject_mac
from skills.models import AuditEvent, AuditSeal, AuditSubject
from skills.seals import is_genuine, unpack_entries
from skills.triggers import missing_triggers

KEPT_PROBLEMS = 20
EMPTY_HEAD = "0:"


class Kind(StrEnum):
    EDITED = "edited"
    DELETED = "deleted"
    INSERTED = "inserted"
    REORDERED = "reordered"
    SEAL = "seal"
    KEY = "key"
    HEAD = "head"
    TRIGGER = "trigger"
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True)
class Problem:
    kind: Kind
    text: str
    event: int | None = None
    seal: int | None = None


@dataclass(slots=True)
class Report:
    """The first problems, in the order of the events; `problem_count` says how many there are."""

    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    seals: int = 0
    events: int = 0  # sealed ones that are there
    dropped_through: int = 0  # retention dropped the events of the seals up to this one
    unsealed: int = 0
    unsealed_since: datetime | None = None
    head: str = EMPTY_HEAD

    def add(
        self, kind: Kind, text: str, *, event: int | None = None, seal: int | None = None
    ) -> None:
        self.problem_count += 1
        if len(self.problems) < KEPT_PROBLEMS:
            self.problems.append(Problem(kind, text, event, seal))


def verify_audit(head: str = "") -> Report:
    """`head` is what an earlier report, export or log line gave; ValueError if it isn't one."""
    kept = parse_head(head) if head else None
    verification = _Verification(kept)
    with _one_snapshot():
        verification.run()
    return verification.report


def parse_head(head: str) -> tuple[int, str]:
    count, _, seal = head.strip().partition(":")
    if not count.isascii() or not count.isdigit():
        raise ValueError("a head looks like COUNT:SEAL")
    return int(count), seal


def _one_snapshot() -> AbstractContextManager[object]:
    """PostgreSQL streams through a cursor within a transaction; on SQLite that would lock writers
    out, and each query sees one state anyway."""
    return transaction.atomic() if connection.vendor == "postgresql" else nullcontext()


class _Events:
    """One pass over the events in the order of their ids, taken segment by segment."""

    def __init__(self) -> None:
        self._rows = AuditEvent.objects.order_by("id").iterator(chunk_size=500)
        self._next: AuditEvent | None = None
        self._started = False

    def through(self, last_id: int | None) -> Iterator[AuditEvent]:
        if not self._started:
            self._started, self._next = True, next(self._rows, None)
        while self._next is not None and (last_id is None or self._next.pk <= last_id):
            event, self._next = self._next, next(self._rows, None)
            yield event


class _Verification:
    def __init__(self, kept_head: tuple[int, str] | None) -> None:
        self.report = Report()
        self._kept = kept_head
        self._last: AuditSeal | None = None
        self._foreign = 0  # seals that were not made with our key
        self._subjects = self._foreign_subjects = 0
        self._events = _Events()

    def run(self) -> None:
        for name in missing_triggers(connection):
            self.report.add(Kind.TRIGGER, f"the trigger {name} is missing: rows can be changed")
        self.report.dropped_through = _dropped_through()
        # The seals' query runs before the events': whatever it knows of, that one finds.
        for seal in AuditSeal.objects.order_by("n").iterator(chunk_size=20):
            self._check_place(seal)
            self._check_seal(seal)
            self._check_segment(seal)
            self.report.seals += 1
            self._last = seal
        self._check_tail()
        self._check_head()
        self._check_subjects()
        self._check_key()

    def _check_place(self, seal: AuditSeal) -> None:
        wanted = self._last.n + 1 if self._last else 1
        if seal.n == wanted:
            return
        names = f"seal {wanted}" if seal.n - wanted == 1 else f"seals {wanted} to {seal.n - 1}"
        self.report.add(Kind.SEAL, f"{names} missing", seal=wanted)
        for _ in self._events.through(seal.first_event - 1):
            pass  # what those sealed can't be judged

    def _check_seal(self, seal: AuditSeal) -> None:
        if not is_genuine(seal):
            self._foreign += 1
            self.report.add(
                Kind.SEAL,
                f"seal {seal.n} was changed, or made with another key",
                seal=seal.n,
            )
        elif self._last and seal.n == self._last.n + 1 and seal.previous != self._last.hmac:
            self.report.add(
                Kind.SEAL, f"seal {seal.n} does not follow the seal before it", seal=seal.n
            )

    def _check_segment(self, seal: AuditSeal) -> None:
        """Walks what was sealed and what is there side by side; both ascend by id."""
        if seal.n <= self.report.dropped_through:
            sealed: list[tuple[int, str]] = []
        else:
            sealed = list(unpack_entries(bytes(seal.entries)))
        segment = _Segment(self.report, seal.n, sealed)
        for event in self._events.through(seal.last_event):
            segment.take(event)
            self.report.events += 1
        segment.end()

    def _check_tail(self) -> None:
        for event in self._events.through(None):
            self.report.unsealed += 1
            self.report.unsealed_since = self.report.unsealed_since or event.recorded_at
            if hash_event(event) != event.row_hash:
                self.report.add(
                    Kind.EDITED, f"event {event.pk}, not sealed yet, was edited", event=event.pk
                )

    def _check_head(self) -> None:
        if self._last:
            self.report.head = self._last.head
        if not self._kept:
            return
        count, seal = self._kept
        last = self._last.n if self._last else 0
        if count > last:
            self.report.add(
                Kind.HEAD, f"the end was cut: there are {last} seals, the head says {count}"
            )
        elif count and not AuditSeal.objects.filter(n=count, hmac=seal).exists():
            self.report.add(
                Kind.HEAD, f"seal {count} is not the one of the head: the end was replaced"
            )

    def _check_subjects(self) -> None:
        """What an erased person's rows said is gone with them, and is no problem."""
        rows = AuditSubject.objects.values_list("id", "user_id", "mac")
        for subject, user_id, mac in rows.iterator(chunk_size=500):
            self._subjects += 1
            if not hmac.compare_digest(mac.encode(), subject_mac(subject, user_id).encode()):
                self._foreign_subjects += 1
                text = f"the subject {subject} was tied to another person, or with another key"
                self.report.add(Kind.SUBJECT, text)

    def _check_key(self) -> None:
        """Of many only: one seal, or one person, may as well have been forged."""
        if self._foreign and self._foreign == self.report.seals:
            self._none_is_ours(f"{self._foreign} seals")
        elif self._foreign_subjects > 1 and self._foreign_subjects == self._subjects:
            self._none_is_ours(f"{self._foreign_subjects} audit subjects")

    def _none_is_ours(self, what: str) -> None:
        text = f"none of the {what} was made with this AUDIT_KEY"
        self.report.problem_count += 1
        self.report.problems.insert(0, Problem(Kind.KEY, text))


class _Segment:
    """The events under one seal."""

    def __init__(self, report: Report, seal: int, sealed: list[tuple[int, str]]) -> None:
        self._report = report
        self._seal = seal
        self._expected = iter(sealed)
        self._next = next(self._expected, None)
        self._id_of = {row_hash: event_id for event_id, row_hash in sealed}

    def take(self, event: AuditEvent) -> None:
        self._pass_missing(event.pk)
        row_hash = hash_event(event)
        if self._next is None or self._next[0] != event.pk:
            self._surplus(event, row_hash)
            return
        if not row_hash == event.row_hash == self._next[1]:
            self._changed(event, row_hash)
        self._next = next(self._expected, None)

    def end(self) -> None:
        self._pass_missing(None)

    def _pass_missing(self, before: int | None) -> None:
        while self._next is not None and (before is None or self._next[0] < before):
            self._add(Kind.DELETED, self._next[0], "was deleted")
            self._next = next(self._expected, None)

    def _surplus(self, event: AuditEvent, row_hash: str) -> None:
        origin = self._id_of.get(row_hash)
        if origin is None:
            self._add(Kind.INSERTED, event.pk, "was inserted after sealing")
        else:
            self._add(Kind.REORDERED, event.pk, f"is what was sealed as event {origin}")

    def _changed(self, event: AuditEvent, row_hash: str) -> None:
        origin = self._id_of.get(row_hash, event.pk)
        if origin == event.pk:
            self._add(Kind.EDITED, event.pk, "was edited")
        else:
            self._add(Kind.REORDERED, event.pk, f"is what was sealed as event {origin}")

    def _add(self, kind: Kind, event: int, what: str) -> None:
        self._report.add(
            kind, f"event {event} (seal {self._seal}) {what}", event=event, seal=self._seal
        )


def _dropped_through() -> int:
    """Only a genuine seal counts: nobody without the key passes deletion off as retention."""
    said = AuditSeal.objects.exclude(dropped_through=None).order_by("-n").first()
    if said is None or said.dropped_through is None or not is_genuine(said):
        return 0
    return said.dropped_through
