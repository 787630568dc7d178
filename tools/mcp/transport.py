"""One message out, its answer in: a JSON body, or a stream of events that need not end.

2025-11-25 lets a server ask back within a stream, and break a stream off to be asked again; both
are bounded by the call's time and size, and by counts here.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from django.utils.translation import gettext as _

from config.base.outbound.body import IsEnough
from config.base.outbound.client import OutboundClient, OutboundResponse
from config.base.outbound.deadline import Deadline
from config.base.outbound.errors import OutboundError
from config.base.outbound.hops import OutboundRequest
from config.base.outbound.urls import parse_url
from tools.mcp.endpoint import Endpoint, within_origin
from tools.mcp.errors import AnswerTooLarge, McpError
from tools.mcp.messages import (
    answer_to_server,
    decode,
    encode,
    is_error_without_id,
    kind_of,
)
from tools.mcp.stream import EventStream
from tools.schemas import JSON

MAX_ASKED_BACK = 20
MAX_RESUMED = 5
_ACCEPT = {"accept": "application/json, text/event-stream"}
_JSON = {"content-type": "application/json"}

type Headers = Mapping[str, str]
type AskedBack = Callable[[JSON], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`message` is the JSON-RPC answer to what was sent, or None: there was none."""

    status: int
    message: JSON | None
    session_id: str
    size_bytes: int


class Transport:
    """Raises `OutboundError` and `McpError`."""

    def __init__(self, endpoint: Endpoint, headers: Headers, deadline: Deadline) -> None:
        self._endpoint = endpoint
        self._headers = dict(headers)
        self.deadline = deadline

    def send(self, message: JSON, headers: Headers, *, max_bytes: int | None = None) -> Answer:
        """A request or a notification."""
        return self._read(message, headers, max_bytes, asked_back=None)

    def send_and_be_asked(
        self, message: JSON, headers: Headers, *, max_bytes: int | None = None
    ) -> Answer:
        """As 2025-11-25 has it: what the server asks meanwhile is answered with a refusal."""

        def refuse(asked: JSON) -> None:
            with suppress(OutboundError):
                self._exchange("POST", answer_to_server(asked), headers, None, None)

        return self._read(message, headers, max_bytes, asked_back=refuse)

    def _read(
        self, message: JSON, headers: Headers, max_bytes: int | None, asked_back: AskedBack | None
    ) -> Answer:
        reader = _Reader(str(message.get("id", "")), asked_back)
        response = self._exchange("POST", message, headers, reader, max_bytes)
        answer = reader.answer(response)
        if asked_back is None:
            return answer
        try:
            return self._resumed(answer, reader, headers, max_bytes)
        except OutboundError as error:
            error.details["request_sent"] = True  # before the stream broke off
            raise

    def _resumed(
        self, answer: Answer, reader: "_Reader", headers: Headers, max_bytes: int | None
    ) -> Answer:
        """The stream ended without the answer, and its server said how to come back for it."""
        for _attempt in range(MAX_RESUMED):
            if answer.message is not None or not reader.may_resume:
                break
            time.sleep(min(reader.stream.retry_ms / 1000, self.deadline.remaining()))
            back = {**headers, "last-event-id": reader.stream.last_id}
            response = self._exchange("GET", None, back, reader, max_bytes)
            answer = reader.answer(response)
        return answer

    def _exchange(
        self,
        method: str,
        message: JSON | None,
        headers: Headers,
        reader: "_Reader | None",
        max_bytes: int | None,
    ) -> OutboundResponse:
        body_headers = _JSON if message is not None else {}
        request = OutboundRequest(
            url=self._endpoint.url,
            method=method,
            headers={**self._headers, **_ACCEPT, **body_headers, **headers},
            body=None if message is None else encode(message),
        )
        client = OutboundClient(self._endpoint.policy(max_bytes))
        judge = within_origin(parse_url(self._endpoint.url))
        return client.send(request, self.deadline, judge, reader.watch if reader else None)


class _Reader:
    """Takes the answer out of whatever else a server sends with it."""

    def __init__(self, request_id: str, asked_back: AskedBack | None) -> None:
        self._id = request_id
        self._asked_back = asked_back
        self._asked = 0
        self._reply: JSON | None = None
        self._streams = False
        self.stream = EventStream()

    @property
    def may_resume(self) -> bool:
        return self._streams and bool(self.stream.last_id)

    def watch(self, status: int, headers: tuple[tuple[str, str], ...]) -> IsEnough | None:
        kind = next((value for name, value in headers if name == "content-type"), "")
        self._streams = _media_type(kind) == "text/event-stream"
        self.stream = EventStream(last_id=self.stream.last_id, retry_ms=self.stream.retry_ms)
        return self._is_answered if self._streams else None

    def _is_answered(self, piece: bytes) -> bool:
        for data in self.stream.feed(piece):
            if data:
                self._take(decode(data))
        return self._reply is not None

    def _take(self, message: JSON) -> None:
        kind = kind_of(message, self._id)
        if kind == "reply" and self._reply is None:
            self._reply = message
        elif kind == "request" and self._asked_back is not None:
            self._asked += 1
            if self._asked > MAX_ASKED_BACK:
                raise McpError(_("The MCP server asks back too often."), request_sent=True)
            self._asked_back(message)

    def answer(self, response: OutboundResponse) -> Answer:
        message = self._reply
        if message is None and response.truncated:
            raise AnswerTooLarge(request_sent=True)
        if message is None and not self._streams and self._id:
            message = self._from_body(response)
        return Answer(
            status=response.status_code,
            message=message,
            session_id=response.header("mcp-session-id"),
            size_bytes=len(response.content),
        )

    def _from_body(self, response: OutboundResponse) -> JSON | None:
        """Of a refusal only what is JSON-RPC; else its status says it all."""
        is_json = _media_type(response.header("content-type")) == "application/json"
        if not is_json or not response.content.strip():
            return None
        try:
            message = decode(response.content)
        except McpError:
            if response.status_code >= 400:
                return None
            raise
        is_ours = kind_of(message, self._id) == "reply"
        return message if is_ours or is_error_without_id(message) else None


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()
