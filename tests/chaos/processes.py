"""Looking at a supervisor's processes from outside, several times a second."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.chaos.app import roles


@dataclass(frozen=True, slots=True)
class Seen:
    pid: int
    role: str
    is_stopped: bool


def descendants(pid: int) -> list[Seen]:
    """In the order of their ids; what ends in the meantime is left out."""
    return sorted(_walk(pid), key=lambda seen: seen.pid)


def is_whole(processes: list[Seen], slots: int) -> bool:
    """Every child of a machine is there, and none is stopped."""
    wanted = Counter({**dict.fromkeys(_SINGLE, 1), roles.WORKER: slots})
    return Counter(seen.role for seen in processes if not seen.is_stopped) == wanted


_SINGLE = (
    roles.CLUSTER,
    roles.SENTINEL,
    roles.PUSHER,
    roles.MONITOR,
    roles.PULSE,
    roles.WATCHDOG,
)


def _walk(pid: int) -> Iterator[Seen]:
    for child in _children(pid):
        found = look(child)
        if found is not None:
            yield found
            yield from _walk(child)


def _children(pid: int) -> list[int]:
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [
            int(word) for thread in threads for word in (thread / "children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):
        return []


def look(pid: int) -> Seen | None:
    """None: it has ended, whether or not its parent has taken note."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    state = rest.split()[0]
    return None if state in "ZX" else Seen(pid, name, state == "T")
