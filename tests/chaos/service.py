"""The invariants about time: who could have served at a moment, and for how long nobody did.

What counts, all of it seen from outside, by the database's clock:

- A machine is **at work** between two looks (some seven a second) at which none of its children is
  missing or stopped and its workers are the same, if it has claimed something since the last blow
  that hit it. A blow is a kill, a freeze, a thaw, a cut connection or an outage of the database.
  A machine whose queue died with a killed worker looks whole, and isn't: until it claims again it
  is not at work, and invariant 11 gives it 60 s for that.
- It has a **free slot** if one of its workers holds no running job for the whole of that time.
- A moment counts for a job that waits (10) if any machine is at work with a free slot and the
  database serves; for a lease that ran out (7), if any machine is at work and the database serves.

So only those moments are exempt at which, of every machine, some child was dead, stopped or not
yet back, or no slot was free, or the database was down.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from jobs.enums import WAITING, JobStatus
from jobs.retry import MOST_JITTER
from tests.chaos.facts import Facts, MachineStory, Span, State

RECOVERY_SECONDS = 2.0
WAIT_SECONDS = 5.0
BACK_SECONDS = 60.0

type Found = Iterator[tuple[bool, str]]  # whether it came too late, and the words for it


def recoveries(facts: Facts) -> Found:
    spans = Spans([span for story in facts.machines for span in _at_work(facts, story)])
    for job, changes in facts.changes.items():
        for change in changes:
            old, new = change.old, change.new
            if old is None or old.status != JobStatus.RUNNING or new.status == old.status:
                continue
            until = old.lease_until or change.at
            if until < change.at:
                late = spans.within(until, change.at)
                words = f"{job}: its lease ran out at {until:.3f}, {late:.1f} s late: {change}"
                yield late > RECOVERY_SECONDS, words
            if new.status == JobStatus.RETRYING:
                longest = change.at + _longest_back_off(facts, old)
                words = f"{job} waits too long for its next attempt: {change}"
                yield (new.due_at or 0) > longest, words


def waits(facts: Facts) -> Found:
    busy = _busy(facts)
    spans = Spans([s for story in facts.machines for s in _at_work(facts, story, busy)])
    for job, changes in facts.changes.items():
        for change, following in pairwise(changes):
            if change.new.status not in WAITING:
                continue
            since = max(change.at, change.new.due_at or 0)
            late = spans.within(since, following.at)
            words = f"{job} was due at {since:.3f}, waited {late:.1f} s: {following}"
            yield late > WAIT_SECONDS, words


def returns(facts: Facts) -> Found:
    for story in facts.machines:
        claims = _claims(facts, story)
        for blow, following in pairwise([*sorted(story.blows), float("inf")]):
            place = bisect_right(claims, blow)
            if place < len(claims) and claims[place] <= following:
                took = claims[place] - blow
                words = f"{story.name} was hit at {blow:.3f} and back after {took:.1f} s"
                yield took > BACK_SECONDS, words
        yield (
            not story.served_at_end,
            f"{story.name} was not back {BACK_SECONDS:.0f} s after it all",
        )


class Spans:
    """Moments that count, whoever they come from."""

    def __init__(self, spans: list[Span]) -> None:
        self._merged = list[Span]()
        for begin, end in sorted(spans):
            if self._merged and begin <= self._merged[-1][1]:
                self._merged[-1] = (self._merged[-1][0], max(end, self._merged[-1][1]))
            else:
                self._merged.append((begin, end))
        self._ends = [end for _, end in self._merged]

    def within(self, begin: float, end: float) -> float:
        """How many of these seconds count."""
        total = 0.0
        for since, until in self._merged[bisect_left(self._ends, begin) :]:
            if since >= end:
                break
            total += max(0.0, min(until, end) - max(since, begin))
        return total


def _at_work(
    facts: Facts, story: MachineStory, busy: dict[int, Spans] | None = None
) -> Iterator[Span]:
    """With `busy`, only while a slot is free."""
    unsettled = Spans([*_unsettled(facts, story), *facts.outages])
    for one, other in pairwise(story.sights):
        is_whole = one.is_whole and other.is_whole and one.workers == other.workers
        if not is_whole or unsettled.within(one.at, other.at):
            continue
        if busy is None or any(
            pid not in busy or not busy[pid].within(one.at, other.at) for pid in one.workers
        ):
            yield one.at, other.at


def _unsettled(facts: Facts, story: MachineStory) -> Iterator[Span]:
    claims = _claims(facts, story)
    for blow in story.blows:
        place = bisect_right(claims, blow)
        back = claims[place] if place < len(claims) else float("inf")
        yield blow, min(back, blow + BACK_SECONDS)


def _claims(facts: Facts, story: MachineStory) -> list[float]:
    """When it claimed something."""
    pids = {pid for sight in story.sights for pid in sight.workers}
    return sorted(
        change.at
        for changes in facts.changes.values()
        for change in changes
        if change.new.status == JobStatus.RUNNING
        and (change.old is None or change.old.status != JobStatus.RUNNING)
        and change.new.pid in pids
    )


def _busy(facts: Facts) -> dict[int, Spans]:
    """When each worker held a job."""
    spans: dict[int, list[Span]] = {}
    for changes in facts.changes.values():
        for change, following in pairwise(changes):
            if change.new.status == JobStatus.RUNNING:
                spans.setdefault(change.new.pid, []).append((change.at, following.at))
    return {pid: Spans(found) for pid, found in spans.items()}


def _longest_back_off(facts: Facts, old: State) -> float:
    """Of one that never began, it is the first one: an error on the way to its start."""
    doublings = max(old.attempts - 1, 0)
    return float(facts.retry_seconds * 2.0**doublings * (1 + MOST_JITTER) + 0.01)
