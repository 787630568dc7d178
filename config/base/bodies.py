"""How much a request may bring: told before it is read, counted while it is.

Django's handler writes a whole body to a temporary file before any of our code sees the request,
so nobody behind it can spare the disk.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

type Scope = dict[str, Any]
type Message = Mapping[str, Any]
type Receive = Callable[[], Awaitable[dict[str, Any]]]
type Send = Callable[[Message], Awaitable[None]]
type Application = Callable[[Scope, Receive, Send], Awaitable[None]]

_DETAIL = "The request is too large."
_GONE = {"type": "http.disconnect"}


class BodyLimit:
    """Around an ASGI application: 413 to what says that it is longer, and to what turns out so."""

    def __init__(self, application: Application, most_bytes: int) -> None:
        self.application = application
        self.most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _announced(scope) > self.most_bytes:
            await _refuse(scope, send)
            return
        body = _Counted(receive, self.most_bytes)
        begun = False

        async def answer(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        await self.application(scope, body.receive, answer)
        if body.is_too_long and not begun:
            await _refuse(scope, send)


class _Counted:
    """To the application, a client that sends too much is one that has gone."""

    def __init__(self, receive: Receive, most_bytes: int) -> None:
        self._receive = receive
        self._left = most_bytes
        self.is_too_long = False

    async def receive(self) -> dict[str, Any]:
        if self.is_too_long:
            return _GONE
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self.is_too_long = self._left < 0
        return _GONE if self.is_too_long else message


def _announced(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return max((int(value) for value in lengths if value.isdigit()), default=0)


async def _refuse(scope: Scope, send: Send) -> None:
    """In the API's own format there; elsewhere a line of text: no page is worth the reading."""
    error = {"code": "too_large", "detail": _DETAIL, "attr": None}
    in_api = scope["path"].startswith("/api/")
    kind = b"application/json" if in_api else b"text/plain; charset=utf-8"
    shape = {"type": "client_error", "errors": [error]}
    body = json.dumps(shape) if in_api else _DETAIL
    headers = [(b"content-type", kind), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})
