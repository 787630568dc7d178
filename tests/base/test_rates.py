"""Rate limits: counted for all processes together, and cheap for those who stay below."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config.base import rates
from config.base.models import RateCount
from config.base.rates import Limit, forget, give_back, purge_old_counts, take
from tests.threads import both_at_once

pytestmark = [pytest.mark.django_db, pytest.mark.both]

NOW = 1_000_000_000.0  # forty seconds into a minute
HUNDRED = Limit("test", 100)


@pytest.fixture(autouse=True)
def no_memory() -> Iterator[None]:
    rates._held.clear()
    yield
    rates._held.clear()


def another_process() -> None:
    """One that holds no tickets yet."""
    rates._held.clear()


def allowed(limit: Limit, who: str, attempts: int, now: float = NOW) -> int:
    return sum(take(limit, who, now) == 0 for _ in range(attempts))


@pytest.mark.parametrize("most", [1, 3, 19, 20, 100, 101])
def test_so_many_may_go_on_and_no_more(most: int) -> None:
    assert allowed(Limit("test", most), "alice", most + 30) == most


def test_who_is_refused_hears_how_long_to_wait() -> None:
    limit = Limit("test", 1)
    take(limit, "alice", NOW)
    assert take(limit, "alice", NOW) == 20
    assert take(limit, "alice", NOW + 19) == 1
    assert take(limit, "alice", NOW + 20) == 0


def test_each_person_and_each_limit_counts_apart() -> None:
    limit, other = Limit("test", 1), Limit("other", 1)
    assert [take(limit, "alice", NOW), take(limit, "bob", NOW), take(other, "alice", NOW)] == [
        0
    ] * 3


def test_processes_share_a_limit() -> None:
    first = allowed(HUNDRED, "alice", 60)
    another_process()
    assert first + allowed(HUNDRED, "alice", 60) == 100


def test_a_process_that_ends_wastes_a_twentieth_at_most() -> None:
    take(HUNDRED, "alice", NOW)
    another_process()
    assert allowed(HUNDRED, "alice", 200) >= 95


def test_no_limit_costs_nothing() -> None:
    with CaptureQueriesContext(connection) as captured:
        assert take(Limit("test", 0), "alice", NOW) == 0
    assert len(captured) == 0


def test_most_acts_cost_no_query() -> None:
    take(HUNDRED, "alice", NOW)
    with CaptureQueriesContext(connection) as captured:
        allowed(HUNDRED, "alice", 24)
    assert len(captured) == 4  # a share of five tickets each


def test_who_was_refused_costs_no_query_until_the_window_is_over() -> None:
    allowed(HUNDRED, "alice", 101)
    with CaptureQueriesContext(connection) as captured:
        allowed(HUNDRED, "alice", 1000)
    assert len(captured) == 0


def test_what_is_given_back_can_be_taken_again() -> None:
    limit = Limit("test", 2)
    allowed(limit, "alice", 3)
    give_back(limit, "alice")
    assert allowed(limit, "alice", 3) == 1


def test_what_is_forgotten_never_was() -> None:
    limit = Limit("test", 3)
    allowed(limit, "alice", 5)
    forget(limit, "alice")
    assert allowed(limit, "alice", 5) == 3


def test_old_counts_are_thrown_away() -> None:
    take(HUNDRED, "alice", NOW)
    take(HUNDRED, "bob")
    assert purge_old_counts() == 1
    assert RateCount.objects.get().key.endswith("bob")


@pytest.mark.django_db(transaction=True)
def test_two_who_begin_at_once_are_both_counted() -> None:
    limit = Limit("test", 8)
    results = both_at_once(*[lambda: take(limit, "alice", NOW)] * 12)
    assert sum(seconds == 0 for seconds in results) == 8
