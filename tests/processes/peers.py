"""A peer outside that counts what it is sent."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class Peer:
    url: str
    keys: list[str] = field(default_factory=list)  # the Idempotency-Key of each POST
    bodies: list[bytes] = field(default_factory=list)


@contextmanager
def counting_peer() -> Iterator[Peer]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            peer.keys.append(self.headers.get("Idempotency-Key", ""))
            peer.bodies.append(body)
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"received": true}')

        def log_message(self, *args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    peer = Peer(f"http://127.0.0.1:{server.server_port}/orders")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
