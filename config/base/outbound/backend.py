"""The network backend below httpcore: it resolves, judges every answer and dials a judged one.

There is no second look-up between judging and dialling, so a name that changes its mind
(DNS rebinding) changes nothing. The URL is untouched: Host, SNI and the certificate's name are
those of the name that was asked for.
"""

import socket
import ssl
from collections.abc import Callable
from typing import Any

import httpcore
from django.utils.translation import gettext as _

from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import (
    ConnectFailed,
    OutboundTimeout,
    ResponseInvalid,
    TlsFailed,
)
from config.base.outbound.hosts import IPAddress
from config.base.outbound.network import Network
from config.base.outbound.resolver import resolve
from config.base.outbound.urls import ParsedUrl

MAX_DIALS = 4  # of one host's addresses
HEAD_BYTES = (
    1024 * 1024
)  # of all that comes before a body: interim answers have no end of their own
FRAMING = 8  # bytes on the wire for one of a body, at most: a chunk of one byte takes six

type Judge = Callable[[IPAddress], None]  # raises `AddressRefused`


class JudgedBackend(httpcore.NetworkBackend):
    """Serves one exchange with one URL."""

    def __init__(self, url: ParsedUrl, network: Network, judge: Judge, deadline: Deadline) -> None:
        self._url = url
        self._network = network
        self._judge = judge
        self._deadline = deadline
        self.stream: DeadlineStream | None = None

    def connect_tcp(self, *_args: Any, **_options: Any) -> httpcore.NetworkStream:
        """The arguments are httpcore's copy of our URL; only the parsed one counts."""
        addresses = self._addresses()
        for address in addresses:
            self._judge(address)
        self.stream = DeadlineStream(self._dial_first(addresses[:MAX_DIALS]), self._deadline)
        return self.stream

    def connect_unix_socket(self, *_args: Any, **_options: Any) -> httpcore.NetworkStream:
        raise ConnectFailed(_("Only hosts are dialled."))

    def expect_body(self, size_bytes: int) -> None:
        """The head has been read; of a body no more than so much is wanted."""
        if self.stream is not None:
            self.stream.allowance = HEAD_BYTES + FRAMING * size_bytes

    @property
    def request_sent(self) -> bool:
        return self.stream is not None and self.stream.has_written

    def _addresses(self) -> list[IPAddress]:
        if self._url.address is not None:
            return [self._url.address]
        return resolve(self._network.lookup, self._url.host, self._url.port, self._deadline)

    def _dial_first(self, addresses: list[IPAddress]) -> socket.socket:
        for position, address in enumerate(addresses):
            # Each attempt gets its share, so one dead address does not eat the others' time.
            share = self._deadline.remaining() / (len(addresses) - position)
            try:
                return self._network.dial(str(address), self._url.port, share)
            except OSError:
                continue
        self._deadline.remaining()
        raise ConnectFailed(_("%(host)s does not accept connections.") % {"host": self._url.netloc})


class DeadlineStream(httpcore.NetworkStream):
    """A socket whose every operation gets what is left of the whole call's time.

    `allowance` is how many bytes it may still give.
    """

    def __init__(self, peer: socket.socket, deadline: Deadline) -> None:
        self._peer = peer
        self._deadline = deadline
        self.has_written = False
        self.allowance = HEAD_BYTES

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = self._receive(max_bytes)
        self.allowance -= len(data)
        if self.allowance < 0:
            raise ResponseInvalid(_("There is too much around the body of the answer."))
        return data

    def _receive(self, max_bytes: int) -> bytes:
        try:
            self._peer.settimeout(self._deadline.remaining())
            return self._peer.recv(max_bytes)
        except TimeoutError:
            raise OutboundTimeout(_("The answer did not come in time.")) from None
        except OSError as error:
            raise httpcore.ReadError(error) from error

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = memoryview(buffer)
        try:
            while left:
                self._peer.settimeout(self._deadline.remaining())
                sent = self._peer.send(left)
                self.has_written = True
                left = left[sent:]
        except TimeoutError:
            raise OutboundTimeout(_("The request could not be sent in time.")) from None
        except OSError as error:
            raise httpcore.WriteError(error) from error

    def close(self) -> None:
        self._peer.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        try:
            self._peer.settimeout(self._deadline.remaining())
            self._peer = ssl_context.wrap_socket(self._peer, server_hostname=server_hostname)
        except ssl.SSLCertVerificationError as error:
            self.close()
            raise TlsFailed(
                _("The certificate of %(host)s is not trusted: %(reason)s.")
                % {"host": server_hostname, "reason": error.verify_message}
            ) from None
        except TimeoutError:
            self.close()
            raise OutboundTimeout(_("The TLS handshake did not end in time.")) from None
        except (OSError, ValueError):
            self.close()
            raise TlsFailed(
                _("There is no TLS connection to %(host)s.") % {"host": server_hostname}
            ) from None
        return self

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object" and isinstance(self._peer, ssl.SSLSocket):
            return self._peer
        return None
