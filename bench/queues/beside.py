"""What a web process does while workers drain a backlog: a small write, every now and then."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

EVERY_SECONDS = 0.02


@contextmanager
def writing_beside(taken_ms: list[float]) -> Iterator[None]:
    """Fills in how long each write took, from the call to its commit."""
    ended = threading.Event()
    thread = threading.Thread(target=_write, args=(taken_ms, ended))
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _write(taken_ms: list[float], ended: threading.Event) -> None:
    from agents.models import Agent, Conversation
    from config.base import audit
    from config.base.models import User

    owner = User.objects.create(username="beside")
    mine = Conversation.objects.create(owner=owner, agent=Agent.objects.all()[0])
    while not ended.wait(EVERY_SECONDS):
        began = time.perf_counter()
        with transaction.atomic():
            Conversation.objects.filter(pk=mine.pk).update(title=f"Written at {began}")
            audit.record("conversation.renamed", audit.Outcome.SUCCEEDED, actor=None)
        taken_ms.append((time.perf_counter() - began) * 1000)
    connection.close()
