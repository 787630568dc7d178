"""Forks a product's processes, starts again what ends, and ends all of them when it is told to.

It does nothing else: it has no thread and no connection that a fork could tear in two.
"""

import gc
import logging
import os
import select
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping

from django.conf import settings
from django.db import connections
from django.utils.module_loading import import_string

from config.base.processes.child import Child, Main, describe_end
from config.base.processes.lifeline import bind_descendants
from config.base.processes.requests import Requests
from config.base.processes.signals import STOPPING, HeardSignals, held_back

log = logging.getLogger(__name__)

# `make` passes on a SIGTERM that its whole group got: the same request, heard twice.
SAME_REQUEST_SECONDS = 1.0


def supervise(paths: Mapping[str, str]) -> None:
    """Run each of these mains in a process of its own: name and dotted path of a function.

    Returns in every one of them after its main, and in the supervisor after the stop: what follows
    should be nothing but the end of the process. Raises `SystemExit` if some did not end in time.
    """
    # All before the first fork: memory that a module shares is shared by all of them.
    mains: dict[str, Main] = {name: import_string(path) for name, path in paths.items()}
    supervisor = Supervisor(mains, settings.STOP_GRACE_SECONDS)
    main = supervisor.run()
    if main is not None:
        main()
    elif supervisor.has_killed:
        raise SystemExit(1)


class Supervisor:
    def __init__(self, mains: Mapping[str, Main], grace_seconds: float) -> None:
        self.has_killed = False  # while it stopped
        self._children = [Child(name, main) for name, main in mains.items()]
        self._grace_seconds = grace_seconds
        self._told_at: float | None = None  # to stop
        self._kills_at: float | None = None  # what has not ended by then
        self._signals = HeardSignals()
        self._requests = Requests()

    def run(self) -> Main | None:
        """Returns in several processes: a child gets its main, the supervisor None at the end."""
        bind_descendants()
        # Else each child's collections copy nearly every page: web has 68 MB of its own then, not
        # 27, and the end of all processes takes some 4 seconds, not one.
        gc.freeze()
        while self._told_at is None or self._running():
            for child in self._due(time.monotonic()):
                if self._fork(child):
                    return child.main
            self._wait()
            heard = self._signals.read()  # before the look for ended children, or one is missed
            self._bury_ended()
            self._serve_requests()
            self._heed_signals(heard & set(STOPPING))
            self._end_grace()
        log.info("all processes have ended")
        return None

    def _running(self) -> list[Child]:
        return [child for child in self._children if child.pid]

    def _due(self, now: float) -> list[Child]:
        if self._told_at is not None:
            return []
        return [child for child in self._children if not child.pid and child.starts_at <= now]

    def _fork(self, child: Child) -> bool:
        """True in the child, which then has nothing of the supervisor."""
        _let_go_of_databases()
        _flush()
        now = time.monotonic()
        try:
            with held_back():
                is_child = child.fork(now)
                if is_child:
                    self._signals.restore()
        except OSError:
            child.put_off(now)
            log.exception("%s can't be started; next try %s", child.name, _in_words(child, now))
            return False
        if is_child:
            self._requests.close()
            _close_stdin()
        else:
            log.info("%s (%d) has started", child.name, child.pid)
        return is_child

    def _wait(self) -> None:
        """Until a signal or a request comes, or the time for a start or for the end of grace."""
        times = [child.starts_at for child in self._children if not child.pid]
        if self._told_at is not None:
            times = [] if self._kills_at is None else [self._kills_at]
        timeout = max(0.0, min(times) - time.monotonic()) if times else None
        select.select([self._signals.fileno(), self._requests.fileno()], [], [], timeout)

    def _bury_ended(self) -> None:
        by_pid = {child.pid: child for child in self._running()}
        for pid, status in _ended():
            child = by_pid.get(pid)
            if child is None:
                continue  # an orphan, given to the first process of a container
            now = time.monotonic()
            child.bury(now)
            self._log_end(child, f"{child.name} ({pid}) {describe_end(status)}", now)

    def _log_end(self, child: Child, what: str, now: float) -> None:
        if self._told_at is not None:
            log.info("%s", what)
            return
        lived_seconds = now - child.started_at
        again = _in_words(child, now)
        log.warning("%s after %.1f s; it starts again %s", what, lived_seconds, again)

    def _serve_requests(self) -> None:
        by_name = {child.name: child for child in self._running()}
        for name, reason in dict(self._requests.read()).items():
            if self._told_at is not None:
                continue
            if name in by_name:
                log.warning("%s is restarted: %s", name, reason)
                by_name[name].kill_group()
            else:
                log.warning("%s does not run and can't be restarted: %s", name, reason)

    def _heed_signals(self, heard: Iterable[int]) -> None:
        now = time.monotonic()
        for signum in heard:
            if self._told_at is None:
                log.info("%s: stopping", signal.Signals(signum).name)
                self._told_at, self._kills_at = now, now + self._grace_seconds
                for child in self._running():
                    child.terminate()
            elif now - self._told_at >= SAME_REQUEST_SECONDS:
                self._kills_at = now

    def _end_grace(self) -> None:
        if self._kills_at is None or time.monotonic() < self._kills_at:
            return
        self._kills_at = None
        for child in self._running():
            log.warning("%s (%d) does not end and is killed", child.name, child.pid)
            self.has_killed = True
            child.kill_group()


def _in_words(child: Child, now: float) -> str:
    """When it starts again."""
    delay = child.starts_at - now
    return f"in {delay:.1f} s" if delay > 0 else "at once"


def _ended() -> Iterator[tuple[int, int]]:
    try:
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended
    except ChildProcessError:
        return  # none is left


def _let_go_of_databases() -> None:
    connections.close_all()
    for connection in connections.all(initialized_only=True):
        if connection.vendor == "postgresql":
            connection.close_pool()  # type: ignore[attr-defined]  # its own; has threads


def _flush() -> None:
    """What is buffered would be written by both."""
    sys.stdout.flush()
    sys.stderr.flush()


def _close_stdin() -> None:
    """Who reads the terminal from another group is stopped by it."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
