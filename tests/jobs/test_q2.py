"""The door to django-q2: a wake-up has no content, so nothing in the queue can be anything else."""

from typing import Any

import pytest
from django.conf import settings
from django_q.conf import Conf
from django_q.models import OrmQ
from django_q.signing import SignedPackage

from jobs import q2
from jobs.registry import MAX_HARD_LIMIT_SECONDS

pytestmark = [pytest.mark.both, pytest.mark.django_db]


def read() -> list[dict[str, Any]]:
    taken = q2.OrmBroker(list_key=Conf.CLUSTER_NAME).dequeue() or []
    return [SignedPackage.loads(package) for _receipt, package in taken]


def test_a_wake_up_is_a_tick() -> None:
    q2.send_tick()
    assert OrmQ.objects.get().payload == q2.WAKE_UP
    (task,) = read()
    assert (task["func"], task["args"], task["kwargs"]) == ("jobs.worker.tick", (), {})
    assert task["ack_failure"]


@pytest.mark.parametrize("payload", ["", "gAR9lC4:forged:signature", "os.system"])
def test_whatever_lies_in_the_queue_means_the_same(payload: str) -> None:
    """A task that somebody has put there is not called, and another machine's key is no matter."""
    q2.OrmBroker(list_key=Conf.CLUSTER_NAME).enqueue(payload)
    (task,) = read()
    assert task["func"] == q2.TICK


def test_an_empty_queue_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conf, "POLL", 0)
    assert read() == []


def test_a_broker_that_fails_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: Any) -> None:
        raise OSError("the broker is away")

    monkeypatch.setattr("django_q.brokers.orm.ORM.dequeue", fail)
    monkeypatch.setattr(q2, "OUTAGE_SECONDS", 0)
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    assert q2.OrmBroker(list_key=Conf.CLUSTER_NAME).dequeue() is None


def test_a_wake_up_may_last_as_long_as_what_it_can_begin() -> None:
    longest = settings.JOB_TICK_SECONDS + settings.JOB_LEASE_SECONDS / 3 + MAX_HARD_LIMIT_SECONDS
    told: dict[str, Any] = settings.Q_CLUSTER
    assert longest < told["timeout"] < told["retry"]
