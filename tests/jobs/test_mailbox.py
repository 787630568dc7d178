"""The queues of the workers: no process dies with what the others need."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Connection
from types import SimpleNamespace

import psutil  # type: ignore[import-untyped]  # it has no types
import pytest

from jobs import mailbox as mailboxes
from jobs.mailbox import STOP, Mailbox
from tests.processes.waiting import PATIENCE_SECONDS, until

forks = multiprocessing.get_context("fork")


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    with closing(Mailbox()) as mailbox:
        yield mailbox


@pytest.fixture
def bounded() -> Iterator[Mailbox]:
    with closing(Mailbox(maxsize=1)) as mailbox:
        yield mailbox


def test_what_is_put_is_got_in_its_order(mailbox: Mailbox) -> None:
    mailbox.put({"n": 1})
    mailbox.put({"n": 2})
    assert [mailbox.get(), mailbox.get()] == [{"n": 1}, {"n": 2}]
    assert mailbox.empty()


def test_it_says_whether_something_waits(mailbox: Mailbox) -> None:
    assert (mailbox.empty(), mailbox.qsize()) == (True, 0)
    mailbox.put("one")
    assert (mailbox.empty(), mailbox.qsize()) == (False, 1)


def test_a_bounded_one_holds_the_writer_until_somebody_reads(
    bounded: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits_now, look_again = threading.Semaphore(0), threading.Semaphore(0)

    def sleep(_seconds: float) -> None:
        waits_now.release()
        assert look_again.acquire(timeout=PATIENCE_SECONDS)

    monkeypatch.setattr(mailboxes, "time", SimpleNamespace(sleep=sleep))
    bounded.put("one")
    second = threading.Thread(target=bounded.put, args=("two",), daemon=True)
    second.start()
    for _ in range(2):
        assert waits_now.acquire(timeout=PATIENCE_SECONDS)
        look_again.release()
    assert waits_now.acquire(timeout=PATIENCE_SECONDS)
    assert bounded.get() == "one"
    assert bounded.empty()
    look_again.release()
    second.join(PATIENCE_SECONDS)
    assert not second.is_alive()
    assert bounded.qsize() == 1
    assert bounded.get() == "two"


def test_the_word_to_stop_is_never_held_back(bounded: Mailbox) -> None:
    for _ in range(3):
        bounded.put(STOP)
    assert [bounded.get() for _ in range(3)] == [STOP] * 3


def test_readers_that_are_killed_while_they_wait_harm_nobody(mailbox: Mailbox) -> None:
    """With `multiprocessing.Queue` the last of them waits for ever."""
    answers, telling = forks.Pipe(duplex=False)
    readers = [forks.Process(target=answer, args=(mailbox, telling)) for _ in range(3)]
    for reader in readers:
        reader.start()
    until(lambda: all(waits(reader.pid) for reader in readers))
    for reader in readers[:2]:
        reader.kill()
        reader.join(10)
    mailbox.put("for the last one")
    assert answers.poll(PATIENCE_SECONDS)
    assert answers.recv() == (readers[2].pid, "for the last one")
    readers[2].join(10)
    answers.close()
    telling.close()
    assert [reader.exitcode for reader in readers] == [-signal.SIGKILL, -signal.SIGKILL, 0]


def answer(mailbox: Mailbox, telling: Connection) -> None:
    telling.send((os.getpid(), mailbox.get()))


def test_one_that_is_closed_is_empty(mailbox: Mailbox) -> None:
    mailbox.put("nobody reads it")
    mailbox.close()
    assert mailbox.empty()


def waits(pid: int | None) -> bool:
    return bool(psutil.Process(pid).status() == psutil.STATUS_SLEEPING)
