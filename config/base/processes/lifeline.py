"""Children die with their parent, however it ends: prctl(2), which only Linux has.

Elsewhere a supervisor that is killed with SIGKILL leaves its children behind; whatever else may
happen, it ends them itself.
"""

import ctypes
import os
import signal
import sys
import threading

PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None)
_forking = threading.local()


def bind_descendants() -> None:
    """Whatever this process forks from now on dies with it, and so do their own children.

    Programs that `subprocess` starts don't run such hooks; killing their group ends them too.
    """
    if sys.platform == "linux":
        os.register_at_fork(before=_note_parent, after_in_child=_bind)


def _note_parent() -> None:
    """To the kernel it is the thread that forks: a child must not die with a mere thread."""
    is_main = threading.current_thread() is threading.main_thread()
    _forking.parent = os.getpid() if is_main else None


def _bind() -> None:
    if _forking.parent is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != _forking.parent:  # it died before the kernel was told
        os.kill(os.getpid(), signal.SIGKILL)
