"""Browser tests: a real Chromium against the real product, demo data included.

Two people at once, or two tabs: `new_context()` gives another browser profile, `sign_in` takes any
page. Whatever the page complains about on its console fails the test, unless `console.allow` names
it beforehand.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, WebError
from pytest_django import DjangoDbBlocker

from scripts.system_packages import find_chromium
from tests.processes.harness import Product, Server, default_database

LOCAL = ("http://127.0.0.1:", "http://localhost:", "data:", "blob:", "about:")
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
CHROMIUM_FLAGS = [
    "--no-sandbox",  # root, as in CI, has no other way
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]

NewContext = Callable[..., BrowserContext]
SignIn = Callable[..., Page]
InDatabase = Callable[..., Any]


class Console:
    """Errors of a page: what it logs, what it throws, what its policy blocks, where it strays."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._allowed: list[str] = []

    def allow(self, text: str) -> None:
        """A message that contains this text is what the test is about."""
        self._allowed.append(text)

    def watch(self, context: BrowserContext) -> None:
        context.on("console", self._on_message)
        context.on("weberror", self._on_error)
        context.on("request", self._on_request)

    def unexpected(self) -> list[str]:
        return [text for text in self.problems if not any(part in text for part in self._allowed)]

    def _on_message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"{message.text} ({message.location['url']})")

    def _on_error(self, error: WebError) -> None:
        self.problems.append(f"uncaught: {error.error}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith(LOCAL):
            self.problems.append(f"request to {request.url}")


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    product = Product(tmp_path_factory.mktemp("browser"), extra={"GATEHOUSE_DEBUG": "1"})
    yield product
    product.end()


@pytest.fixture(scope="session")
def live_app(product: Product) -> Server:
    """One server for all browser tests: let a test make and name what it works on."""
    return product.start()


@pytest.fixture(scope="module")
def workers(product: Product, live_app: Server) -> Iterator[None]:
    """The product's own processes for jobs, beside its web process."""
    log = product.home / "workers.log"
    server = Server(product.environment(), log, "--no-migrate", "--only", "worker")
    product.servers.append(server)
    yield
    server.stop()


@pytest.fixture(scope="session")
def in_database(product: Product, django_db_blocker: DjangoDbBlocker) -> InDatabase:
    """Runs it on the product's own database, in a thread: the browser has a loop in this one."""

    def work[ResultT](function: Callable[[], ResultT]) -> ResultT:
        with django_db_blocker.unblock(), default_database(product.database()):
            try:
                return function()
            finally:
                connection.close()

    def run[ResultT](function: Callable[[], ResultT]) -> ResultT:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(work, function).result()

    return run


@pytest.fixture(scope="session")
def base_url(live_app: Server) -> str:
    """`page.goto("/documents/")` goes to the live product."""
    return live_app.url


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    chromium = find_chromium()
    program = {"executable_path": chromium} if chromium else {}  # else Playwright's own
    return {**browser_type_launch_args, **program, "args": CHROMIUM_FLAGS}


@pytest.fixture
def console() -> Iterator[Console]:
    console = Console()
    yield console
    assert console.unexpected() == []


@pytest.fixture
def new_context(new_context: NewContext, console: Console) -> NewContext:
    def make(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(10_000)
        console.watch(context)
        return context

    return make


@pytest.fixture
def phone_page(new_context: NewContext) -> Page:
    return new_context(**PHONE).new_page()


@pytest.fixture(scope="session")
def sessions() -> dict[str, Any]:
    """Cookies of those who have signed in: hashing a password takes a second each time."""
    return {}


@pytest.fixture
def sign_in(product: Product, sessions: dict[str, Any]) -> SignIn:
    """`sign_in(page, "bob")`: a demo user. A test that signs out again needs `fresh=True`."""

    def sign_in(page: Page, name: str = "alice", *, fresh: bool = False) -> Page:
        if fresh or name not in sessions:
            fill_in_sign_in(page, name, product.demo(name)["password"])
            if not fresh:
                sessions[name] = page.context.cookies()
        else:
            page.context.add_cookies(sessions[name])
        page.goto("/")
        return page

    return sign_in


def fill_in_sign_in(page: Page, name: str, password: str) -> None:
    page.goto("/accounts/login/")
    page.locator("input[name=username]").fill(name)
    page.locator("input[name=password]").fill(password)
    page.locator("input[name=password]").press("Enter")
    page.wait_for_url(lambda url: "/accounts/login/" not in url)
