"""The only door to django-q2: it carries wake-ups, and nothing else is asked of it.

It is not trusted with single execution, retries, durability on Redis, or surviving the kill of one
of its workers: all measured (docs/adr/0011).
"""

import logging
import os
import time
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db import connections
from django.db.models.functions import Now
from django.utils import timezone
from django_q.brokers import Broker, get_broker
from django_q.brokers.orm import ORM
from django_q.brokers.redis_broker import Redis
from django_q.conf import Conf
from django_q.humanhash import uuid
from django_q.models import OrmQ, Schedule, Task
from django_q.signing import SignedPackage

from config.base.batches import delete_batch
from jobs.mailbox import Mailbox
from jobs.timer import Timer

if TYPE_CHECKING:
    from django_q.cluster import Cluster

log = logging.getLogger(__name__)

TICK = "jobs.worker.tick"
WAKE_UP = "wake up"
NET = "jobs: the net under lost wake-ups"
OUTAGE_SECONDS = 0.5  # between two looks at a broker that can't be reached
WRONG_CLOCKS = timedelta(minutes=10)
UNTAKEN = timedelta(hours=1)  # one wake-up is enough for whoever comes back


class _WakeUps:
    """What lies in the queue means one thing, and is not looked at: django-q2 would unpickle it and
    call whatever function it names, and would throw away what a machine with another key has sent.
    """

    def dequeue(self) -> list[tuple[Any, str]] | None:
        """django-q2's pusher sleeps 10 seconds and dies when its broker fails; this one waits."""
        try:
            taken = super().dequeue()  # type: ignore[misc]  # of the broker it is mixed into
        except Exception as error:  # noqa: BLE001 (of whatever the broker is made of)
            log.warning("wake-ups can't be read (%s); trying again", error)
            connections.close_all()
            time.sleep(OUTAGE_SECONDS)
            return None
        return [(receipt, _task()) for receipt, _ in taken or ()] or None


def _task() -> str:
    """A wake-up as django-q2 reads it; made where it is read."""
    name, task_id = uuid()
    task = {"id": task_id, "name": name, "func": TICK, "args": (), "kwargs": {}}
    signed: str = SignedPackage.dumps({**task, "started": timezone.now(), "ack_failure": True})
    return signed


class OrmBroker(_WakeUps, ORM):  # type: ignore[misc]  # untyped
    def enqueue(self, task: str) -> Any:
        """Seen at once by machines whose clock is slow, too: django-q2 compares it with theirs."""
        seen_from = timezone.now() - WRONG_CLOCKS
        row = {"key": self.list_key or Conf.CLUSTER_NAME, "payload": task, "lock": seen_from}
        return self.get_connection().create(**row).pk


class RedisBroker(_WakeUps, Redis): ...  # type: ignore[misc]  # untyped


def send_tick() -> None:
    _broker(os.getpid()).enqueue(WAKE_UP)


def broker_answers() -> bool:
    try:
        return bool(_broker(os.getpid()).ping())
    except Exception:  # noqa: BLE001 (of whatever the broker is made of)
        return False


@cache
def _broker(_pid: int) -> Broker:
    """One for each process: a connection to Redis is not carried over a fork."""
    return get_broker()


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

    processes.Queue, processes.Value = Mailbox, Timer
    cluster = processes.Cluster()
    cluster.start()
    return cluster


def hide_admin() -> None:
    """Take its pages out of the console: there anybody could schedule any function."""
    import django_q.admin  # noqa: F401  (registers them, if nobody has yet)

    for model in [model for model in admin.site._registry if model._meta.app_label == "django_q"]:
        admin.site.unregister(model)
