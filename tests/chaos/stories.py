"""Made-up runs, for tests of what judges the real ones. Seconds count from 0; leases last 2 s."""

from dataclasses import replace

from tests.chaos.facts import (
    Attempt,
    Change,
    Effect,
    Facts,
    JobRow,
    MachineStory,
    Sight,
    Start,
    State,
)

PID, OTHER_PID = 100, 200
OWNER, OTHER = f"vm:{PID}:aa", f"vm:{OTHER_PID}:bb"
END = 100.0

WAITING = State("scheduled", due_at=10.0)
CLAIMED = State("running", revision=1, owner=OWNER, lease_until=12.1)
BEGUN = replace(CLAIMED, attempts=1, started_at=10.2)
COMPLETED = State("completed", revision=2, attempts=1, started_at=10.2)


def tell(job: str, states: list[tuple[float, State]]) -> Facts:
    """One machine that was whole all the time, and one job."""
    old = [None, *(state for _, state in states)]
    changes = [Change(at, before, new) for (at, new), before in zip(states, old, strict=False)]
    machine = MachineStory("one", slots=2)
    machine.sights = [
        Sight(tenth / 10, True, frozenset({PID, OTHER_PID})) for tenth in range(int(END * 10))
    ]
    facts = Facts(changes={job: changes}, machines=[machine], retry_seconds=1.0)
    last = states[-1][1]
    facts.jobs[job] = JobRow(last.status, last.attempts, 3, "")
    facts.ledger.enqueued.append(job)
    facts.ledger.by_key[f"key-{job}"] = {job}
    return facts


def good() -> Facts:
    """It was due, was claimed, began, and was completed once."""
    facts = tell("a", [(10.0, WAITING), (10.1, CLAIMED), (10.2, BEGUN), (10.3, COMPLETED)])
    facts.starts.append(Start("a", 1, PID))
    facts.attempts.append(Attempt("a", 1, "completed"))
    facts.effects.append(Effect("a", 2, OWNER))
    facts.messages["a"] = 1
    facts.counted = [(1, 1)]
    return facts


def recovered(*, at: float, lease_until: float = 12.1, owner: str = OWNER) -> Facts:
    """The worker was lost; somebody gave the job back at this time, another one completed it."""
    lost = replace(BEGUN, lease_until=lease_until, owner=owner)
    back = State("retrying", revision=2, attempts=1, due_at=at + 1.0)
    again = State("running", revision=3, owner=OTHER, lease_until=at + 3.2, attempts=1)
    begun = replace(again, attempts=2, started_at=at + 1.3)
    done = State("completed", revision=4, attempts=2, started_at=at + 1.3)
    facts = tell(
        "a",
        [
            (10.0, WAITING),
            (10.1, replace(CLAIMED, lease_until=lease_until, owner=owner)),
            (10.2, lost),
            (at, lost),  # the row is locked by an update that changes nothing
            (at, back),
            (at + 1.2, again),
            (at + 1.3, begun),
            (at + 1.4, done),
        ],
    )
    facts.starts += [Start("a", 1, PID), Start("a", 2, OTHER_PID)]
    facts.attempts += [Attempt("a", 1, "lost"), Attempt("a", 2, "completed")]
    facts.effects.append(Effect("a", 4, OTHER))
    facts.messages["a"] = 1
    return facts


def cancelled() -> Facts:
    facts = tell("a", [(10.0, WAITING), (10.1, State("cancelled", revision=1))])
    facts.ledger.cancelled.add("a")
    return facts
