"""The only door to django-q2: it carries wake-ups, and nothing else is asked of it.

It is not trusted with single execution, retries, durability on Redis, or surviving the kill of one
of its workers: all measured (docs/adr/0011).
"""

import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.conf import Conf
from django_q.models import OrmQ, Schedule, Task
from django_q.tasks import async_task

from config.base.batches import delete_batch
from jobs.mailbox import Mailbox

if TYPE_CHECKING:
    from django_q.cluster import Cluster

log = logging.getLogger(__name__)

TICK = "jobs.worker.tick"
NET = "jobs: the net under lost wake-ups"
OUTAGE_SECONDS = 0.5  # between two looks at a broker that can't be reached
WRONG_CLOCKS = timedelta(minutes=10)
UNTAKEN = timedelta(hours=1)  # one wake-up is enough for whoever comes back


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


class OrmBroker(_Patient, ORM):  # type: ignore[misc]  # untyped
    def enqueue(self, task: str) -> Any:
        """Seen at once by machines whose clock is slow, too: django-q2 compares it with theirs."""
        seen_from = timezone.now() - WRONG_CLOCKS
        row = {"key": self.list_key or Conf.CLUSTER_NAME, "payload": task, "lock": seen_from}
        return self.get_connection().create(**row).pk


class RedisBroker(_Patient, Redis): ...  # type: ignore[misc]  # untyped


def send_tick() -> None:
    async_task(TICK)


def ensure_net() -> None:
    """Once a minute a wake-up, whatever became of all others. On django-q2's grid of 30 seconds."""
    Schedule.objects.update_or_create(
        name=NET, defaults={"func": TICK, "schedule_type": Schedule.MINUTES, "minutes": 1}
    )


def purge_old_wake_ups() -> int:
    """A batch of those that nobody took for an hour, and of what is kept of those that failed."""
    gone = delete_batch(OrmQ.objects.filter(lock__lt=Now() - UNTAKEN))
    return gone + delete_batch(Task.objects.filter(stopped__lt=Now() - UNTAKEN))


def start_cluster() -> "Cluster":
    """Its `sig_handler` stops it, its `sentinel` is the process to wait for."""
    from django_q import cluster as processes

    processes.Queue = Mailbox
    cluster = processes.Cluster()
    cluster.start()
    return cluster


def hide_admin() -> None:
    """Take its pages out of the console: there anybody could schedule any function."""
    import django_q.admin  # noqa: F401  (registers them, if nobody has yet)

    for model in [model for model in admin.site._registry if model._meta.app_label == "django_q"]:
        admin.site.unregister(model)
