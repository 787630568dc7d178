"""The only door to django-q2: it carries wake-ups, and nothing else is asked of it.

It is not trusted with single execution, retries, durability on Redis, or surviving the kill of one
of its workers: all measured (docs/adr/0011).
"""

import logging
import time
from typing import TYPE_CHECKING, Any

from django.db import connections
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.models import Schedule
from django_q.tasks import async_task

if TYPE_CHECKING:
    from django_q.cluster import Cluster

log = logging.getLogger(__name__)

TICK = "jobs.worker.tick"
NET = "jobs: the net under lost wake-ups"
OUTAGE_SECONDS = 0.5  # between two looks at a broker that can't be reached


class _Patient:
    """django-q2's pusher sleeps for 10 seconds and dies when its broker fails; this one waits."""

    def dequeue(self) -> Any:
        try:
            return super().dequeue()  # type: ignore[misc]  # of the broker it is mixed into
        except Exception as error:  # noqa: BLE001 (of whatever the broker is made of)
            log.warning("wake-ups can't be read (%s); trying again", error)
            connections.close_all()
            time.sleep(OUTAGE_SECONDS)
            return None


class OrmBroker(_Patient, ORM): ...  # type: ignore[misc]  # untyped


class RedisBroker(_Patient, Redis): ...  # type: ignore[misc]  # untyped


def send_tick() -> None:
    async_task(TICK)


def ensure_net() -> None:
    """Once a minute a wake-up, whatever became of all others. On django-q2's grid of 30 seconds."""
    Schedule.objects.update_or_create(
        name=NET, defaults={"func": TICK, "schedule_type": Schedule.MINUTES, "minutes": 1}
    )


def start_cluster() -> "Cluster":
    """Its `sig_handler` stops it, its `sentinel` is the process to wait for."""
    from django_q.cluster import Cluster

    cluster = Cluster()
    cluster.start()
    return cluster
