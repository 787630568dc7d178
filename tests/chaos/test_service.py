"""What judges how soon a run served: which seconds count, and which are nobody's fault."""

from dataclasses import replace

from tests.chaos import stories
from tests.chaos.facts import Facts, State
from tests.chaos.service import Spans
from tests.chaos.stories import OTHER, OWNER, WAITING
from tests.chaos.test_invariants import broken


def late(claimed_at: float) -> Facts:
    """Due at 10 and claimed then."""
    facts = stories.tell(
        "a",
        [
            (10.0, WAITING),
            (claimed_at, State("running", 1, OWNER, claimed_at + 2)),
        ],
    )
    facts.jobs["a"] = replace(facts.jobs["a"], status="completed")
    return facts


def test_spans_count_what_they_share_once() -> None:
    spans = Spans([(0, 2), (1, 3), (5, 6)])
    assert [spans.within(0, 10), spans.within(2, 5.5), spans.within(3, 5)] == [4, 1.5, 0]


# --- Waits (10) ---


def test_a_wait_of_five_seconds_is_none_too_long() -> None:
    assert 10 not in broken(late(14.9))


def test_a_longer_wait_is_found() -> None:
    assert 10 in broken(late(15.3))


def test_a_wait_is_no_fault_while_a_child_is_missing() -> None:
    facts = late(18)
    story = facts.machines[0]
    story.sights = [replace(s, is_whole=not 11 < s.at < 15) for s in story.sights]
    assert 10 not in broken(facts)


def test_it_is_one_while_another_machine_is_whole() -> None:
    facts = late(18)
    story = facts.machines[0]
    facts.machines.append(replace(story, name="two"))
    story.sights = [replace(s, is_whole=False) for s in story.sights]
    assert 10 in broken(facts)


def test_a_wait_is_no_fault_until_a_machine_that_was_hit_claims_again() -> None:
    """Its children are all there; what it was hit by may have stopped it all the same."""
    facts = late(18)
    facts.machines[0].blows = [10.5]
    assert 10 not in broken(facts)


def test_a_wait_is_no_fault_while_no_slot_is_free() -> None:
    facts = late(18)
    for job, owner in (("b", OWNER), ("c", OTHER)):
        running = State("running", 1, owner, 30)
        ended = State("failed", 2)
        told = stories.tell(job, [(9.0, WAITING), (9.1, running), (17.0, ended)])
        facts.changes |= told.changes
    assert not [words for words in violations(facts, 10) if words.startswith("a ")]


def test_a_wait_is_no_fault_while_the_database_is_away() -> None:
    facts = late(18)
    facts.outages = [(10.5, 14.5)]
    assert 10 not in broken(facts)


# --- Recovery (7) ---


def test_a_lease_that_ran_out_may_wait_two_seconds() -> None:
    assert 7 not in broken(stories.recovered(at=14.0))


def test_a_later_recovery_is_found() -> None:
    assert 7 in broken(stories.recovered(at=14.4))


def test_it_is_no_fault_while_a_child_is_missing() -> None:
    facts = stories.recovered(at=14.4)
    story = facts.machines[0]
    story.sights = [replace(s, is_whole=not 12 < s.at < 13) for s in story.sights]
    assert 7 not in broken(facts)


def test_a_back_off_longer_than_decided_is_found() -> None:
    facts = stories.recovered(at=13.0)
    back = facts.changes["a"][4]
    facts.changes["a"][4] = replace(back, new=replace(back.new, due_at=15.0))
    assert 7 in broken(facts)


# --- Coming back (11) ---


def test_a_machine_that_claims_within_a_minute_is_back() -> None:
    facts = late(65)
    facts.machines[0].blows = [6.0]
    assert 11 not in broken(facts)


def test_one_that_takes_longer_is_found() -> None:
    facts = late(65)
    facts.machines[0].blows = [4.0]
    assert 11 in broken(facts)


def test_it_counts_from_the_last_blow() -> None:
    facts = late(65)
    facts.machines[0].blows = [1.0, 20.0, 40.0]
    assert 11 not in broken(facts)


def test_one_that_is_not_back_at_the_end_is_found() -> None:
    facts = stories.good()
    facts.machines[0].served_at_end = False
    assert broken(facts) == {11}


def violations(facts: Facts, number: int) -> list[str]:
    from tests.chaos.invariants import check

    return check(facts)[number - 1].violations
