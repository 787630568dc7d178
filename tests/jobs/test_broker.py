"""Wake-ups in the database: whoever's clock is wrong, a worker sees them at once."""

from datetime import timedelta
from unittest import mock

import pytest
from django.utils import timezone

from jobs.q2 import OrmBroker

pytestmark = [pytest.mark.django_db, pytest.mark.both]


@pytest.mark.parametrize("minutes", [-9, 0, 9])
def test_a_wake_up_is_seen_by_a_machine_whose_clock_is_wrong(minutes: int) -> None:
    broker = OrmBroker(list_key="test")
    sent = broker.enqueue("a wake-up")
    wrong = timezone.now() + timedelta(minutes=minutes)
    with mock.patch.object(timezone, "now", return_value=wrong):
        assert [row for row, _task in broker.dequeue() or ()] == [sent]


def test_it_is_seen_by_one_of_them() -> None:
    broker = OrmBroker(list_key="test")
    broker.enqueue("a wake-up")
    assert broker.dequeue()
    assert not broker.dequeue()
