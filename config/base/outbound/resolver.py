"""Name look-ups that end in time: `getaddrinfo` has no timeout of its own."""

import queue
import threading
from contextlib import suppress

from django.utils.translation import gettext as _

from config.base.outbound.addresses import parse_address
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import DnsFailed, OutboundTimeout
from config.base.outbound.hosts import IPAddress
from config.base.outbound.network import Lookup

MAX_LOOKUPS = 32  # a resolver that hangs holds at most so many threads
_slots = threading.BoundedSemaphore(MAX_LOOKUPS)


def resolve(lookup: Lookup, host: str, port: int, deadline: Deadline) -> list[IPAddress]:
    """Every address of the host. Raises `DnsFailed` or `OutboundTimeout`."""
    answer = _start(lookup, host, port, deadline)
    try:
        found = answer.get(timeout=deadline.remaining())
    except queue.Empty:
        raise _timeout(host) from None
    addresses = []
    for text in found if isinstance(found, list) else []:
        with suppress(ValueError):  # not an address: nothing that could be dialled
            addresses.append(parse_address(text))
    if not addresses:
        raise DnsFailed(_("The name %(host)s can't be resolved.") % {"host": host})
    return addresses


def _start(
    lookup: Lookup, host: str, port: int, deadline: Deadline
) -> "queue.SimpleQueue[list[str] | Exception]":
    answer: queue.SimpleQueue[list[str] | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            answer.put(lookup(host, port))
        except Exception as error:  # noqa: BLE001 - the waiting side tells it as a failure
            answer.put(error)
        finally:
            _slots.release()

    if not _slots.acquire(timeout=deadline.remaining()):
        raise _timeout(host)
    try:
        # A daemon: an executor's thread would keep the process from ending.
        threading.Thread(target=run, name="outbound-lookup", daemon=True).start()
    except BaseException:
        _slots.release()
        raise
    return answer


def _timeout(host: str) -> OutboundTimeout:
    return OutboundTimeout(_("Looking up %(host)s did not end in time.") % {"host": host})
