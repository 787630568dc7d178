"""`make screenshots`: every page in a real browser, photographed into docs/screenshots/.

Starts the product with demo data in a temporary home, serves a page on this machine for the agent
to fetch, and does what README.md tells: fetch and save, delete with a card; then the other pages
of a person and those of the admin.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import tests.isolation  # noqa: F401  (first: the harness reads settings)
from scripts.system_packages import find_chromium
from tests.browser.conftest import CHROMIUM_FLAGS, PHONE
from tests.browser.pages import open_loopback, say, served, switch_tools_on, wait_until_done
from tests.browser.tour import STEPS, forget
from tests.browser.tour_places import places
from tests.processes.harness import Product, Server

OUT = Path(__file__).resolve().parent.parent / "docs" / "screenshots"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
WIDE: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}
OF_A_DOCUMENT = {"edit": "edit/", "versions": "versions/", "delete": "delete/"}
OTHERS = {
    "conversations": "chat/",
    "decided": "actions/?tab=decided",
    "empty": "documents/?type=memory",
    "new-document": "documents/new/",
    "trash": "documents/trash/",
    "memories": "memories/",
    "skills": "skills/",
    "profile": "accounts/profile/",
    "missing": "no-such-page/",
}
CONSOLE = {
    "admin": "",
    "admin-tools": "tools/tool/",
    "admin-calls": "tools/toolcall/",
    "admin-drafts": "tools/actiondraft/",
    "admin-runs": "agents/run/",
    "admin-agents": "agents/agent/",
    "admin-models": "agents/modelprofile/",
    "admin-documents": "documents/document/",
    "admin-jobs": "jobs/job/",
    "admin-series": "jobs/jobseries/",
    "admin-people": "base/user/",
    "admin-audit": "skills/auditevent/",
}
PAGE = b"""<!doctype html><html><head><title>Release notes</title></head><body><main>
<h1>Release notes</h1><p>Version 2.1 brings faster search and a calmer inbox.</p>
<ul><li>Search answers twice as fast.</li><li>Cards show what exactly will change.</li></ul>
</main></body></html>"""


def sign_in(context: BrowserContext, server: Server, product: Product, name: str) -> Page:
    page = context.new_page()
    page.goto(f"{server.url}/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(product.demo(name)["password"])
    page.get_by_role("button", name="Sign in").click()
    return page


def shoot(page: Page, name: str) -> None:
    page.evaluate("document.activeElement?.blur()")
    page.wait_for_timeout(250)  # the last transition
    page.screenshot(path=OUT / f"{name}.png")


def chat(page: Page, server: Server, url: str, prefix: str) -> None:
    shoot(page, f"{prefix}-welcome")
    switch_tools_on(page)
    say(page, f"fetch {url} and save it as a document called Notes")
    wait_until_done(page)
    shoot(page, f"{prefix}-chat")
    say(page, "delete the document Notes")
    expect(page.get_by_role("button", name="Confirm")).to_be_visible(timeout=20_000)
    shoot(page, f"{prefix}-card")
    page.goto(f"{server.url}/actions/")
    shoot(page, f"{prefix}-inbox")
    page.goto(f"{server.url}/documents/?type=document")
    shoot(page, f"{prefix}-documents")
    page.get_by_role("link", name="Notes").first.click()
    shoot(page, f"{prefix}-document")
    document = page.url
    for name, path in OF_A_DOCUMENT.items():
        page.goto(f"{document}{path}")
        shoot(page, f"{prefix}-document-{name}")
    page.goto(f"{server.url}/actions/")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator('[data-state="executed"]')).to_be_visible(timeout=20_000)
    shoot(page, f"{prefix}-receipt")
    for name, path in OTHERS.items():
        page.goto(f"{server.url}/{path}")
        shoot(page, f"{prefix}-{name}")


def admin(context: BrowserContext, server: Server, product: Product) -> None:
    page = sign_in(context, server, product, "operator")
    for name, path in CONSOLE.items():
        page.goto(f"{server.url}/admin/{path}")
        shoot(page, name)
    page.goto(f"{server.url}/admin/tools/tool/?q=calculator")
    page.get_by_role("link", name="Calculator").click()
    shoot(page, "admin-tool")
    page.goto(f"{server.url}/api/docs/")
    page.get_by_role("heading", name="Gatehouse API").wait_for()
    shoot(page, "api-docs")


def tour(browser: Browser, server: Server, product: Product) -> None:
    """docs/operator-tour.md; an element that is being worked at stays in sight."""
    for prefix, options in {"desktop": DESKTOP, "phone": PHONE}.items():
        context = browser.new_context(**options, base_url=server.url)
        page = sign_in(context, server, product, "operator")
        with places() as around:
            for step in STEPS:
                step.do(page, around)
                shoot(page, f"tour-{prefix}-{step.name}")
        forget(page)
        context.close()


def take(browser: Browser, product: Product, server: Server, url: str) -> None:
    views: dict[str, dict[str, Any]] = {
        "desktop": DESKTOP,
        "phone": PHONE,
        "dark": {**DESKTOP, "color_scheme": "dark"},
    }
    for prefix, options in views.items():
        context = browser.new_context(**options)
        page = context.new_page()
        page.goto(f"{server.url}/accounts/login/")
        shoot(page, f"{prefix}-sign-in")
        page.close()
        chat(sign_in(context, server, product, "alice"), server, url, prefix)
        context.close()
    tour(browser, server, product)
    admin(browser.new_context(**WIDE), server, product)


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, served(PAGE) as url, sync_playwright() as web:
        product = Product(Path(home), extra={"GATEHOUSE_DEBUG": "1"})
        browser = web.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        try:
            server = product.start(only="")  # jobs, too
            open_loopback(product, server)
            take(browser, product, server, url)
        finally:
            browser.close()
            product.end()
    print(json.dumps(sorted(path.name for path in OUT.glob("*.png"))))


if __name__ == "__main__":
    main()
