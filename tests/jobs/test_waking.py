"""Wake-ups: one for all who ask within a second, and none that is missed."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction
from django.db.models.functions import Now

from jobs import q2, waking
from jobs.models import Wake
from jobs.waking import answer_wake, wake, wake_after_commit
from tests.threads import both_at_once

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def test_the_first_wake_up_of_an_installation_is_sent(ticks: list[str]) -> None:
    Wake.objects.all().delete()
    wake()
    assert len(ticks) == 1
    assert Wake.objects.filter(pending_until__gt=Now()).count() == 1


def test_while_one_is_under_way_no_other_is_sent(ticks: list[str]) -> None:
    for _ in range(5):
        wake()
    assert len(ticks) == 1


def test_an_answer_makes_room_for_the_next(ticks: list[str]) -> None:
    for _ in range(3):
        wake()
        answer_wake()
    assert len(ticks) == 3


def test_one_that_nobody_answered_in_time_counts_as_lost(ticks: list[str]) -> None:
    wake()
    Wake.objects.update(pending_until=Now() - timedelta(milliseconds=1))
    wake()
    assert len(ticks) == 2


def test_one_that_is_under_way_is_believed_for_a_second() -> None:
    wake()
    assert Wake.objects.filter(
        pending_until__gt=Now() - timedelta(seconds=10),
        pending_until__lte=Now() + timedelta(seconds=waking.PENDING_SECONDS),
    ).exists()


def test_an_answer_to_nothing_is_fine() -> None:
    Wake.objects.all().delete()
    answer_wake()
    assert not Wake.objects.filter(pending_until__isnull=False).exists()


@pytest.mark.parametrize("error", [DatabaseError, ConnectionError, RuntimeError])
def test_a_wake_up_that_cannot_be_sent_hurts_nobody(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(q2, "send_tick", fail)
    wake()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_ask_at_once_one_sends(ticks: list[str]) -> None:
    for first in (True, False):
        if first:
            Wake.objects.all().delete()
        ticks.clear()
        both_at_once(*[wake] * 4)
        assert len(ticks) == 1
        answer_wake()


@pytest.mark.django_db(transaction=True)
def test_after_a_commit_one_is_sent_and_after_a_rollback_none(ticks: list[str]) -> None:
    with transaction.atomic():
        wake_after_commit()
        with transaction.atomic():
            wake_after_commit()
        assert ticks == []
    assert len(ticks) == 1
    answer_wake()
    with transaction.atomic():
        wake_after_commit()
        transaction.set_rollback(True)
    assert len(ticks) == 1


@pytest.mark.django_db(transaction=True)
def test_other_things_that_wait_for_the_commit_are_not_taken_for_it(ticks: list[str]) -> None:
    done = list[str]()
    with transaction.atomic():
        transaction.on_commit(lambda: done.append("other"))
        wake_after_commit()
    assert (done, len(ticks)) == (["other"], 1)


def test_a_clock_that_was_set_back_silences_nobody(ticks: list[str]) -> None:
    Wake.objects.update_or_create(pk=1, defaults={"pending_until": Now() + timedelta(hours=1)})
    wake()
    assert len(ticks) == 1
