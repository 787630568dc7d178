"""An OpenAI-compatible server on loopback.

`with scripted_server([reply, HttpError(429)]) as (base_url, script): …`
"""

import json
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agents.model_clients.protocol import JSON, ModelReply
from agents.testing.script import Answer, Drop, Hang, HttpError, Line, Raw, ServerScript
from agents.testing.wire import completion_body, completion_events, read_request

_MAX_HANG_SECONDS = 60


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: ServerScript, port: int = 0) -> None:
        self.script = script
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hangs up is what these tests are about."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            models = [{"id": "rules", "object": "model", "created": 0, "owned_by": "gatehouse"}]
            self._send_json(HTTPStatus.OK, {"object": "list", "data": models})
        else:
            self._send_error(HttpError(404, "not found"))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.endswith("/chat/completions"):
            self._send_error(HttpError(404, "not found"))
            return
        try:
            body: JSON = json.loads(raw)
            request = read_request(body)
        except (ValueError, KeyError, TypeError, AttributeError):
            self._send_error(HttpError(400, "not a chat completion request"))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._answer(self.server.script.answer(body, headers, request), body)

    def _answer(self, answer: Answer, body: JSON) -> None:
        if isinstance(answer, Hang):
            self.server.closing.wait(_MAX_HANG_SECONDS)
            self.close_connection = True
        elif isinstance(answer, HttpError):
            self._send_error(answer)
        elif isinstance(answer, Raw):
            self._send_raw(answer)
        elif isinstance(answer, Drop):
            self._send_reply(answer.reply, body, answer.pieces)
        else:
            self._send_reply(ModelReply(answer) if isinstance(answer, str) else answer, body)

    def _send_reply(self, reply: ModelReply, body: JSON, pieces: int | None = None) -> None:
        model = str(body.get("model", "scripted"))
        if body.get("stream"):
            options = body.get("stream_options") or {}
            with_usage = bool(options.get("include_usage")) and self.server.script.usage
            self._send_events(completion_events(reply, model, with_usage=with_usage), pieces)
            return
        whole = completion_body(reply, model)
        if not self.server.script.usage:
            del whole["usage"]
        if pieces is None:
            self._send_json(HTTPStatus.OK, whole)
        else:
            self._send_half(whole)

    def _send_events(self, events: Iterable[JSON], pieces: int | None) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, event in enumerate(events):
            if number == pieces:
                self.close_connection = True
                return
            self._send_chunk(f"data: {json.dumps(event)}\n\n")
        self._send_chunk("data: [DONE]\n\n")
        self._send_chunk("")

    def _send_chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _send_raw(self, raw: Raw) -> None:
        """Until the caller has had enough."""
        self.close_connection = True
        try:
            self.send_response(raw.status)
            for name, value in {"Content-Type": raw.content_type, **raw.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            for number, part in enumerate(raw.parts):
                if number and raw.pause_seconds and self.server.closing.wait(raw.pause_seconds):
                    return
                self.wfile.write(part)
                self.wfile.flush()
                self.server.script.sent_bytes += len(part)
        except ConnectionError:
            return

    def _send_error(self, error: HttpError) -> None:
        body = {"error": {"message": error.message, "type": "scripted", "code": None}}
        self._send_json(error.status, body, error.headers)

    def _send_json(self, status: int, body: JSON, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self._send_head(status, len(data), headers or {})
        self.wfile.write(data)

    def _send_half(self, body: JSON) -> None:
        data = json.dumps(body).encode()
        self._send_head(HTTPStatus.OK, len(data), {})
        self.wfile.write(data[: len(data) // 2])
        self.close_connection = True

    def _send_head(self, status: int, length: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Quiet: the script records what was asked."""


@contextmanager
def scripted_server(
    lines: Iterable[Line] | ServerScript = (), *, port: int = 0
) -> Iterator[tuple[str, ServerScript]]:
    """Runs in a thread; gives the base URL (…/v1) and the script with what was asked."""
    script = lines if isinstance(lines, ServerScript) else ServerScript(lines)
    server = ScriptedServer(script, port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server.base_url, script
    finally:
        server.closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
