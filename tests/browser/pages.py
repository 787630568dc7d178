"""What people do on the chat page, and pages of this machine that agents fetch."""

import http.server
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.processes.harness import Product, Server


@contextmanager
def served(
    body: bytes, content_type: str = "text/html; charset=utf-8", *, after_seconds: float = 0
) -> Iterator[str]:
    """The URL of a page on loopback that says `body`, once it has thought about it."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(after_seconds)
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/page"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def open_loopback(product: Product, server: Server) -> None:
    """What the operator does first: addresses of this machine are refused unless opened."""
    headers = {"Authorization": f"Bearer {product.demo('operator')['token']}"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=30) as api:
        tool = api.get("/api/agent-tools/", params={"slug": "fetch"}).json()["results"][0]
        config = {**tool["config"], "allowed_private_networks": ["127.0.0.1/32"]}
        api.patch(f"/api/agent-tools/{tool['id']}/", json={"config": config}).raise_for_status()


def switch_tools_on(page: Page) -> None:
    page.get_by_role("switch", name="Tools").check()


def say(page: Page, text: str) -> None:
    page.get_by_label("Message").fill(text)
    page.get_by_label("Message").press("Enter")


def thread(page: Page) -> Locator:
    return page.get_by_role("log")


def wait_until_done(page: Page) -> None:
    expect(page.locator("#chat[aria-busy]")).to_have_count(0, timeout=20_000)
    expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=20_000)
    expect(page.locator("#live")).to_be_empty()
