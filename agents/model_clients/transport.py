"""The connection under the library: what no model server may do, whatever it sends.

The library's own timeout is one number per read. Here each wait has its own limit, an answer has an
end in time and in bytes, and nobody is followed elsewhere with what a person said.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from agents.model_clients.cuttable import make_cuttable
from agents.model_clients.errors import (
    ModelConfused,
    ModelError,
    ModelKeyUnusable,
    ModelRedirected,
    ModelTimeout,
    ModelTooMuch,
    ModelUnreachable,
)
from agents.model_clients.metering import Asked
from config.base.outbound.domains import parse_domains

MAX_ANSWER_BYTES = 16 * 1024 * 1024  # on the wire: a streamed token takes some 250
_STREAM_TYPES = ("text/event-stream", "text/plain", "application/octet-stream", "")


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds until the connection stands, until the answer begins, and between its pieces."""

    connect_seconds: float = 10.0
    first_byte_seconds: float = 60.0
    idle_seconds: float = 30.0


@dataclass(frozen=True, slots=True)
class KeyHosts:
    """Where the key of a model may go, judged where requests leave: the library has its own idea
    of where a model lives."""

    patterns: tuple[str, ...]
    allow_http: bool

    def check(self, url: httpx.URL) -> None:
        domains = parse_domains(self.patterns)
        if domains.everything or not domains.matches(url.raw_host.decode().lower().rstrip(".")):
            raise _told(ModelKeyUnusable(), "secret_host_not_allowed")
        if url.scheme != "https" and not self.allow_http:
            raise _told(ModelKeyUnusable(), "secret_needs_https")


@dataclass(frozen=True, slots=True)
class Attempt:
    limits: TimeLimits
    deadline: float  # on the monotonic clock
    stream: bool
    asked: Asked
    key_hosts: KeyHosts | None = None

    @property
    def seconds_left(self) -> float:
        return max(self.deadline - time.monotonic(), 0.001)


_attempt: ContextVar[Attempt | None] = ContextVar("attempt", default=None)
_making = threading.Lock()
_client: httpx.Client | None = None


@contextmanager
def attempting(attempt: Attempt) -> Iterator[None]:
    """What is sent in here is under these limits. The library works in the caller's thread."""
    token = _attempt.set(attempt)
    try:
        yield
    finally:
        _attempt.reset(token)


class GuardedTransport(httpx.BaseTransport):
    """For the library's own clients, which it makes for most other kinds of servers."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return guarded_client().send(request, stream=True)


def guarded_client() -> httpx.Client:
    """The one client of this process, proxies of the environment included.

    It holds as many connections as are asked for: with a limit, a model that is slow could take
    those of all others. How many there are is for the drivers of runs to limit.
    """
    global _client
    with _making:
        if _client is None:
            _client = httpx.Client(
                follow_redirects=False,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # keeps none
                event_hooks={"request": [_before], "response": [_after]},
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            )
            make_cuttable(_client)
        return _client


def _before(request: httpx.Request) -> None:
    attempt = _attempt.get()
    if attempt is None:
        return
    if attempt.key_hosts:
        attempt.key_hosts.check(request.url)
    left, limits = attempt.seconds_left, attempt.limits
    request.headers["Accept-Encoding"] = "identity"  # packed, a small answer could be a huge one
    request.extensions["timeout"] = {
        "connect": min(limits.connect_seconds, left),
        "read": min(limits.first_byte_seconds, left),
        "write": min(limits.idle_seconds, left),
        "pool": min(limits.connect_seconds, left),
    }


def _after(response: httpx.Response) -> None:
    attempt = _attempt.get()
    if attempt is None:
        return
    attempt.asked.answered |= response.is_success
    _check_head(response, attempt)
    # Read when the body's first byte is waited for: from here on it is a wait between pieces.
    idle = min(attempt.limits.idle_seconds, attempt.seconds_left)
    response.request.extensions["timeout"]["read"] = idle
    stream = response.stream
    if isinstance(stream, httpx.SyncByteStream):
        response.stream = _Bounded(stream, attempt, never_empty=response.is_success)


def _check_head(response: httpx.Response, attempt: Attempt) -> None:
    headers = response.headers
    if response.is_redirect:
        raise _told(ModelRedirected(), f"{response.status_code} to {headers.get('location', '')}")
    encoding = headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise _told(ModelConfused(), f"an answer that is {encoding}, which was not asked for")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if attempt.stream and response.is_success and kind not in _STREAM_TYPES:
        raise _told(ModelConfused(), f"an answer of {kind} where a stream was asked for")


def _told(error: ModelError, raw: str) -> ModelError:
    error.raw = raw
    return error


class _Bounded(httpx.SyncByteStream):
    def __init__(
        self, stream: httpx.SyncByteStream, attempt: Attempt, *, never_empty: bool
    ) -> None:
        self._stream, self._attempt, self._never_empty = stream, attempt, never_empty

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._stream:
            size += len(part)
            if size > MAX_ANSWER_BYTES:
                raise ModelTooMuch
            if time.monotonic() > self._attempt.deadline:
                raise ModelTimeout
            yield part
        if self._never_empty and not size:
            raise ModelUnreachable

    def close(self) -> None:
        self._stream.close()
