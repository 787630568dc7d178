"""What judges a run of chaos finds what is wrong, and only that."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.chaos import stories
from tests.chaos.facts import Attempt, Change, Effect, Facts, Start, State
from tests.chaos.invariants import check, doubled_jobs, lost_jobs, unshown
from tests.chaos.stories import BEGUN, CLAIMED, COMPLETED, OTHER, OWNER, PID, WAITING


def broken(facts: Facts) -> set[int]:
    return {verdict.number for verdict in check(facts) if verdict.violations}


@pytest.mark.parametrize(
    "facts",
    [stories.good(), stories.recovered(at=13.0), stories.cancelled()],
    ids=["completed", "recovered", "cancelled"],
)
def test_a_good_run_breaks_nothing(facts: Facts) -> None:
    assert broken(facts) == set()
    assert (lost_jobs(facts), doubled_jobs(facts)) == ([], [])


def test_it_says_how_much_it_looked_at() -> None:
    facts = [verdict.facts for verdict in check(stories.recovered(at=13.0))]
    assert [number for number, count in enumerate(facts, start=1) if not count] == [8, 9]


def test_what_it_saw_nothing_of_is_said_by_name() -> None:
    verdicts = check(stories.recovered(at=13.0))
    said = [line.partition(":")[0] for line in unshown(verdicts, 0)]
    assert said == ["nothing was killed", "nothing was seen of 8", "nothing was seen of 9"]
    assert "nothing was killed" not in unshown(verdicts, 1)


@pytest.mark.parametrize(
    ("facts", "at", "shown"), [(stories.good(), 10.25, 0), (stories.cancelled(), 10.05, 1)]
)
def test_a_permission_that_was_revoked_too_late_shows_nothing(
    facts: Facts, at: float, shown: int
) -> None:
    facts.ledger.revoked["a"] = at
    verdict = check(facts)[8]
    assert (verdict.facts, verdict.violations) == (shown, [])


# --- Each invariant, broken ---


def vanish(facts: Facts) -> None:
    del facts.jobs["a"]
    facts.changes.clear()


def never_end(facts: Facts) -> None:
    facts.jobs["a"] = replace(facts.jobs["a"], status="running")
    facts.changes["a"].pop()


def make_twins(facts: Facts) -> None:
    facts.ledger.by_key["key-a"].add("b")


def write_twice(facts: Facts) -> None:
    facts.messages["a"] += 1
    facts.effects.append(Effect("a", 2, OWNER))


def write_nothing(facts: Facts) -> None:
    facts.messages.clear()


def miscount(facts: Facts) -> None:
    facts.counted = [(2, 1)]


def complete_as_another(facts: Facts) -> None:
    """A thawed worker completed what somebody else had claimed."""
    facts.effects[0] = replace(facts.effects[0], owner=OTHER)


def write_without_completing(facts: Facts) -> None:
    facts.effects[0] = replace(facts.effects[0], revision=7)


def fall_back(facts: Facts) -> None:
    facts.changes["a"][-1] = Change(10.3, BEGUN, replace(COMPLETED, revision=0))


def leave_an_end(facts: Facts) -> None:
    facts.changes["a"].append(Change(11.0, COMPLETED, State("retrying", revision=3, due_at=11.0)))


def change_unseen(facts: Facts) -> None:
    del facts.changes["a"][2]


def take_over_while_it_runs(facts: Facts) -> None:
    stolen = replace(CLAIMED, owner=OTHER)
    facts.changes["a"].insert(2, Change(10.15, CLAIMED, stolen))


def start_uncounted(facts: Facts) -> None:
    facts.starts.append(Start("a", 2, PID))


def start_twice_as_one(facts: Facts) -> None:
    facts.starts.append(Start("a", 1, PID))


def end_without_a_start(facts: Facts) -> None:
    facts.starts.clear()


def forget_an_attempt(facts: Facts) -> None:
    facts.attempts.clear()


def try_too_often(facts: Facts) -> None:
    facts.jobs["a"] = replace(facts.jobs["a"], attempts=4)
    facts.attempts += [Attempt("a", number, "lost") for number in (2, 3, 4)]


def give_up_early(facts: Facts) -> None:
    facts.jobs["a"] = replace(facts.jobs["a"], status="failed", error_code="worker_lost")


def start_without_permission(facts: Facts) -> None:
    facts.ledger.revoked["a"] = 10.15


@pytest.mark.parametrize(
    ("sabotage", "number"),
    [
        (vanish, 1),
        (never_end, 1),
        (make_twins, 1),
        (write_twice, 2),
        (write_nothing, 2),
        (miscount, 2),
        (complete_as_another, 3),
        (write_without_completing, 3),
        (fall_back, 4),
        (leave_an_end, 4),
        (change_unseen, 4),
        (take_over_while_it_runs, 5),
        (start_uncounted, 6),
        (start_twice_as_one, 6),
        (end_without_a_start, 6),
        (forget_an_attempt, 6),
        (try_too_often, 6),
        (give_up_early, 6),
        (start_without_permission, 9),
    ],
)
def test_what_is_wrong_is_found(sabotage: Callable[[Facts], None], number: int) -> None:
    facts = stories.good()
    sabotage(facts)
    assert number in broken(facts)


def test_lost_and_doubled_jobs_are_named() -> None:
    facts = stories.good()
    write_twice(facts)
    never_end(facts)
    assert (lost_jobs(facts), doubled_jobs(facts)) == (["a"], ["a"])


def test_what_is_taken_from_a_live_lease_is_found() -> None:
    assert broken(stories.recovered(at=11.0)) == {5}


def test_what_had_not_begun_may_not_be_taken_early_either() -> None:
    """Its recovery is known by its lock alone: there is no attempt that was lost."""
    back = State("retrying", revision=2, due_at=11.0)
    facts = stories.tell("a", [(10.0, WAITING), (10.1, CLAIMED), (11.0, CLAIMED), (11.0, back)])
    assert 5 in broken(facts)


def test_its_own_worker_may_give_it_back_early() -> None:
    back = State("retrying", revision=2, due_at=11.0)
    facts = stories.tell("a", [(10.0, WAITING), (10.1, CLAIMED), (11.0, back)])
    assert 5 not in broken(facts)


def test_a_cancelled_job_that_starts_is_found() -> None:
    facts = stories.cancelled()
    gone = facts.changes["a"][-1].new
    facts.changes["a"].append(Change(10.2, gone, replace(CLAIMED, revision=2)))
    assert 8 in broken(facts)


def test_a_cancel_that_was_granted_and_did_not_hold_is_found() -> None:
    facts = stories.good()
    facts.ledger.cancelled.add("a")
    assert broken(facts) == {8}
