"""Of two who want the same work one gets it, and one who lost it can write nothing more."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models.functions import Now

from config.base import leases
from config.base.errors import LeaseLost
from config.base.models import NamedLease
from tests.threads import both_at_once

pytestmark = pytest.mark.both


@pytest.fixture
def row(db: None) -> NamedLease:
    return NamedLease.objects.create(name="work")


def claim(owner: str, revision: int, *, seconds: float = 30) -> int | None:
    free = NamedLease.objects.filter(leases.lease_is_free(), name="work")
    return leases.claim(free, revision=revision, owner=owner, seconds=seconds)


def expire() -> None:
    NamedLease.objects.filter(name="work").update(
        lease_expires_at=Now() - timedelta(milliseconds=1)
    )


def test_a_claim_raises_the_revision_and_names_the_owner(row: NamedLease) -> None:
    assert claim("a", 0) == 1
    row.refresh_from_db()
    assert (row.revision, row.lease_owner) == (1, "a")
    assert row.lease_expires_at is not None


def test_it_is_not_claimed_while_somebody_holds_it(row: NamedLease) -> None:
    claim("a", 0)
    assert claim("b", 1) is None
    assert claim("b", 0) is None


def test_it_is_claimed_again_when_the_time_is_up(row: NamedLease) -> None:
    claim("a", 0)
    expire()
    assert claim("b", 0) is None  # one who read the row before the first claim
    assert claim("b", 1) == 2


def test_further_changes_are_made_in_the_same_update(row: NamedLease) -> None:
    other = NamedLease.objects.filter(name="work")
    assert leases.claim(other, revision=0, owner="a", seconds=1, name="renamed") == 1
    assert NamedLease.objects.get().name == "renamed"


def test_renewing_extends_it_and_keeps_the_revision(row: NamedLease) -> None:
    claim("a", 0, seconds=1)
    row.refresh_from_db()
    before = row.lease_expires_at
    mine = NamedLease.objects.filter(name="work")
    assert leases.renew(mine, revision=1, owner="a", seconds=60)
    row.refresh_from_db()
    assert row.revision == 1
    assert before is not None
    assert row.lease_expires_at is not None
    assert row.lease_expires_at > before


@pytest.mark.parametrize(("revision", "owner"), [(0, "a"), (2, "a"), (1, "b")])
def test_only_the_holder_can_renew(row: NamedLease, revision: int, owner: str) -> None:
    claim("a", 0)
    mine = NamedLease.objects.filter(name="work")
    assert not leases.renew(mine, revision=revision, owner=owner, seconds=60)


def test_a_fence_holds_while_the_revision_is_the_claimed_one(row: NamedLease) -> None:
    claim("a", 0)
    with transaction.atomic():
        leases.hold_fence(NamedLease.objects.filter(name="work"), revision=1)


def test_a_fence_tells_one_who_was_taken_over(row: NamedLease) -> None:
    claim("a", 0)
    expire()
    claim("b", 1)
    with pytest.raises(LeaseLost), transaction.atomic():
        leases.hold_fence(NamedLease.objects.filter(name="work"), revision=1)


@pytest.mark.django_db(transaction=True)
def test_a_fence_needs_a_transaction() -> None:
    with pytest.raises(RuntimeError, match="transaction"):
        leases.hold_fence(NamedLease.objects.all(), revision=0)


@pytest.mark.django_db(transaction=True)
def test_of_two_claimers_at_once_one_wins() -> None:
    NamedLease.objects.create(name="work")
    won = both_at_once(lambda: claim("a", 0), lambda: claim("b", 0))
    assert sorted(won, key=str) == [1, None]


@pytest.mark.django_db
def test_a_duty_is_kept_by_who_has_it_and_free_when_released() -> None:
    assert leases.hold_duty("seal", owner="a", seconds=30)
    assert not leases.hold_duty("seal", owner="b", seconds=30)
    assert leases.hold_duty("seal", owner="a", seconds=30)
    leases.release_duty("seal", owner="b")  # not theirs: changes nothing
    assert not leases.hold_duty("seal", owner="b", seconds=30)
    leases.release_duty("seal", owner="a")
    assert leases.hold_duty("seal", owner="b", seconds=30)


@pytest.mark.django_db
def test_a_duty_passes_on_when_its_time_is_up() -> None:
    assert leases.hold_duty("seal", owner="a", seconds=30)
    NamedLease.objects.update(lease_expires_at=Now() - timedelta(milliseconds=1))
    assert leases.hold_duty("seal", owner="b", seconds=30)
    assert not leases.hold_duty("seal", owner="a", seconds=30)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_want_a_new_duty_at_once_one_gets_it() -> None:
    def hold(owner: str) -> bool:
        return leases.hold_duty("seal", owner=owner, seconds=30)

    assert sorted(both_at_once(lambda: hold("a"), lambda: hold("b"))) == [False, True]


def test_each_owner_has_a_name_of_their_own() -> None:
    names = {leases.new_owner() for _ in range(50)}
    assert len(names) == 50
    assert all(len(name) <= 100 for name in names)
