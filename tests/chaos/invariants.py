"""What must hold after a run, whatever befell the machines: the eleven invariants of seed 4.

Each check counts the facts it looked at: one that looked at nothing has shown nothing.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from jobs.enums import FINISHED, TRANSITIONS, WAITING, AttemptOutcome, JobStatus
from tests.chaos import service
from tests.chaos.facts import Change, Facts, State

CLOCK_SECONDS = 0.002  # SQLite's clock is read in milliseconds
# What `make test` gives it, or as much: each of the eleven has been put to the test then.
ENOUGH_SECONDS, ENOUGH_KILLS = 15.0, 25


@dataclass(slots=True)
class Verdict:
    number: int
    says: str
    facts: int = 0
    violations: list[str] = field(default_factory=list)

    def expect(self, holds: bool, otherwise: str) -> None:
        self.facts += 1
        if not holds:
            self.violations.append(otherwise)


def check(facts: Facts) -> list[Verdict]:
    verdicts = []
    for number, look in enumerate(CHECKS, start=1):
        verdict = Verdict(number, (look.__doc__ or "").partition("\n")[0])
        look(facts, verdict)
        verdicts.append(verdict)
    return verdicts


def unshown(verdicts: Sequence[Verdict], kills: int) -> list[str]:
    """What the run has not put to the test, and so shows nothing about."""
    nothing = [] if kills else ["nothing was killed"]
    return nothing + [f"nothing was seen of {v.number}: {v.says}" for v in verdicts if not v.facts]


def lost_jobs(facts: Facts) -> list[str]:
    """Accepted, and not there or not ended."""
    rows = facts.jobs
    known = dict.fromkeys([*facts.ledger.enqueued, *rows])
    return [job for job in known if job not in rows or rows[job].status not in FINISHED]


def doubled_jobs(facts: Facts) -> list[str]:
    """Did something twice, or were made twice under one key."""
    effects = Counter(effect.job for effect in facts.effects)
    twice = {job for job, count in (effects | facts.messages).items() if count > 1}
    twins = [jobs for jobs in facts.ledger.by_key.values() if len(jobs) > 1]
    return sorted(twice.union(*twins))


def ends_once(facts: Facts, verdict: Verdict) -> None:
    """Every job ends in exactly one final state."""
    lost = set(lost_jobs(facts))
    for job in dict.fromkeys([*facts.ledger.enqueued, *facts.jobs]):
        verdict.expect(job not in lost, f"{job} was accepted and has not ended")
    for job, changes in facts.changes.items():
        ends = [change.new.status for change in changes if _ends(change)]
        stored = facts.jobs[job].status if job in facts.jobs else "nothing"
        verdict.expect(job in lost or ends == [stored], f"{job} ended {ends}, stored is {stored}")
    for key, jobs in facts.ledger.by_key.items():
        verdict.expect(len(jobs) == 1, f"{key} made {len(jobs)} jobs")


def writes_once(facts: Facts, verdict: Verdict) -> None:
    """One message of a completed job, none of any other."""
    effects = Counter(effect.job for effect in facts.effects)
    for job in dict.fromkeys([*facts.jobs, *facts.messages, *effects]):
        wanted = int(job in facts.jobs and facts.jobs[job].status == JobStatus.COMPLETED)
        found = (facts.messages[job], effects[job])
        verdict.expect(found == (wanted, wanted), f"{job} wrote {found}, not {wanted}")
    for said, there in facts.counted:
        verdict.expect(said == there, f"a conversation counts {said} messages and has {there}")


def completes_as_claimed(facts: Facts, verdict: Verdict) -> None:
    """No completion by an old revision."""
    owners = {(effect.job, effect.revision): effect.owner for effect in facts.effects}
    completed = set[tuple[str, int]]()
    for job, change in _all_changes(facts):
        if change.old is None or not _ends(change) or change.new.status != JobStatus.COMPLETED:
            continue
        written = (job, change.new.revision)
        completed.add(written)
        holds = change.old.revision + 1 == change.new.revision
        holds = holds and owners.get(written) == change.old.owner != ""
        verdict.expect(holds, f"{job} was completed by {owners.get(written)}: {change}")
    for written in owners:
        verdict.expect(written in completed, f"an effect without its completion: {written}")


def moves_as_allowed(facts: Facts, verdict: Verdict) -> None:
    """Revisions only grow, and every change of status is an allowed one."""
    for job, changes in facts.changes.items():
        before: State | None = None
        for change in changes:
            verdict.expect(change.old == before, f"{job}: {change} does not follow on {before}")
            verdict.expect(_is_allowed(change), f"{job}: {change}")
            before = change.new


def is_held_by_one(facts: Facts, verdict: Verdict) -> None:
    """Never two live leases on one job."""
    lost = {(a.job, a.number) for a in facts.attempts if a.outcome == AttemptOutcome.LOST}
    for job, changes in facts.changes.items():
        recovering = False
        for change in changes:
            old, new = change.old, change.new
            if old is None or old.status != JobStatus.RUNNING:
                recovering = False
                continue
            if new.status == JobStatus.RUNNING:
                same = (old.owner, old.revision) == (new.owner, new.revision)
                verdict.expect(same, f"{job} was taken from its owner: {change}")
            # Recovery first locks the row, by an update that changes nothing.
            recovering = recovering and new.status != JobStatus.RUNNING
            began = old.started_at is not None and new.status != JobStatus.RUNNING
            if recovering or (began and (job, old.attempts) in lost):
                is_over = (old.lease_until or 0) <= change.at + CLOCK_SECONDS
                verdict.expect(is_over, f"{job} was taken from a live lease: {change}")
            recovering = old == new


def counts_starts(facts: Facts, verdict: Verdict) -> None:
    """Attempts are the starts of the handler, and no more than allowed.

    A worker that is killed between the commit of its start and the handler's first line leaves an
    attempt without a start, which ends as lost: no other may be without.
    """
    outcomes = {(attempt.job, attempt.number): attempt.outcome for attempt in facts.attempts}
    starts = Counter((start.job, start.number) for start in facts.starts)
    counted: dict[str, list[int]] = {}
    for attempt in facts.attempts:
        counted.setdefault(attempt.job, []).append(attempt.number)
    for job, row in facts.jobs.items():
        verdict.expect(row.attempts <= row.max_attempts, f"{job}: {row}")
        numbers = sorted(counted.get(job, []))
        is_counted = numbers == list(range(1, row.attempts + 1))
        verdict.expect(is_counted, f"{job} has attempts {numbers}: {row}")
        given_up = row.status != JobStatus.FAILED or row.attempts == row.max_attempts
        verdict.expect(given_up or row.error_code == "permanent_failure", f"{job} gave up: {row}")
    for began, outcome in outcomes.items():
        least = 0 if outcome == AttemptOutcome.LOST else 1
        was_called = least <= starts[began] <= 1
        verdict.expect(was_called, f"{began} ended {outcome} after {starts[began]} starts")
    for start in starts:
        verdict.expect(start in outcomes, f"{start} was called and not counted")


def stays_cancelled(facts: Facts, verdict: Verdict) -> None:
    """A cancelled job never starts."""
    for job in facts.ledger.cancelled:
        stored = facts.jobs.get(job)
        is_cancelled = stored is not None and stored.status == JobStatus.CANCELLED
        verdict.expect(is_cancelled, f"{job} was cancelled: {stored}")
    for job, changes in facts.changes.items():
        places = [n for n, c in enumerate(changes) if c.new.status == JobStatus.CANCELLED]
        if places:
            verdict.expect(places == [len(changes) - 1], f"{job} went on: {changes[places[0] :]}")


def heeds_permission(facts: Facts, verdict: Verdict) -> None:
    """What was not permitted any more was not called."""
    for job, at in facts.ledger.revoked.items():
        starts = [change for change in facts.changes.get(job, []) if _starts(change)]
        late = [change for change in starts if change.at > at]
        if late or not starts:  # one that had begun before shows nothing
            verdict.expect(not late, f"{job} was revoked at {at:.3f} and started: {late}")


def _all_changes(facts: Facts) -> list[tuple[str, Change]]:
    return [(job, change) for job, changes in facts.changes.items() for change in changes]


def _ends(change: Change) -> bool:
    before = change.old.status if change.old else ""
    return change.new.status in FINISHED and change.new.status != before


def _starts(change: Change) -> bool:
    return change.new.started_at is not None and (
        change.old is None or change.old.started_at is None
    )


def _is_allowed(change: Change) -> bool:
    old, new = change.old, change.new
    if old is None:
        return new.status == JobStatus.SCHEDULED
    step = new.revision - old.revision
    if new.status == old.status:  # a result, a renewal; or a time, which somebody decided
        return step == 0 or (step == 1 and new.status in WAITING)
    return step == 1 and new.status in TRANSITIONS[JobStatus(old.status)]


def recovers_soon(facts: Facts, verdict: Verdict) -> None:
    """What a dead worker had is free again within its lease, 2 s and the back-off."""
    for late, otherwise in service.recoveries(facts):
        verdict.expect(not late, otherwise)


def serves_soon(facts: Facts, verdict: Verdict) -> None:
    """No due job waits for more than 5 s while a slot is free and every child lives."""
    for late, otherwise in service.waits(facts):
        verdict.expect(not late, otherwise)


def comes_back(facts: Facts, verdict: Verdict) -> None:
    """Each machine is back at work within 60 s of any blow."""
    for late, otherwise in service.returns(facts):
        verdict.expect(not late, otherwise)


CHECKS: tuple[Callable[[Facts, Verdict], None], ...] = (
    ends_once,
    writes_once,
    completes_as_claimed,
    moves_as_allowed,
    is_held_by_one,
    counts_starts,
    recovers_soon,
    stays_cancelled,
    heeds_permission,
    serves_soon,
    comes_back,
)
