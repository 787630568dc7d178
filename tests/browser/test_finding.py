"""Searching one's documents in a real browser: found while typing, marked, explained, mended."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, NewContext, SignIn
from tests.processes.harness import Product, Server

pytestmark = pytest.mark.browser
TEXTS = {
    "Harbour notes": "# Ferries\n\nThe ferry to Lisbon leaves at noon.\n\n# Food\n\nOlives.",
    "Timetable": "Buses, trams and one ferry; nothing about Lisbon's harbour but this.",
    "渡轮时刻表": "开往里斯本的渡轮中午出发。",
}


@pytest.fixture
def api(product: Product, live_app: Server) -> httpx.Client:
    client = live_app.client(product.demo("bob")["token"])
    known = {one["title"] for one in client.get("/api/agent-documents/").json()["results"]}
    for title, content in TEXTS.items():
        if title not in known:
            body = {"title": title, "content": content}
            client.post("/api/agent-documents/", json=body).raise_for_status()
    return client


def photograph(page: Page, pytestconfig: pytest.Config, name: str) -> None:
    folder = Path(pytestconfig.getoption("--output")) / "finding"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize("options", [{}, PHONE])
def test_while_one_types(
    options: dict[str, object],
    new_context: NewContext,
    sign_in: SignIn,
    pytestconfig: pytest.Config,
) -> None:
    page = sign_in(new_context(**options).new_page(), "bob")
    page.goto("/documents/")
    box = page.get_by_role("searchbox", name="Search titles and text")
    box.fill("when do the ferries leave?")
    first = page.locator(".entry").first
    expect(first.locator("mark").first).to_be_visible()
    expect(first).to_contain_text("Harbour notes")
    expect(first.locator(".why")).to_contain_text("ferries")
    expect(page.get_by_label("Sort by")).to_have_value("")
    expect(page.get_by_label("Sort by").locator("option").first).to_have_text("Best match")
    photograph(page, pytestconfig, f"words-{len(options)}")
    page.get_by_label("Sort by").select_option("title")
    expect(page).to_have_url(re.compile("sort=title"))
    expect(page.locator(".entry").first).to_contain_text("Harbour notes")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) == 0
    box.fill("里斯本渡轮")
    expect(page.locator(".entry").first).to_contain_text("渡轮时刻表")
    photograph(page, pytestconfig, f"chinese-{len(options)}")


@pytest.mark.usefixtures("api")
def test_without_scripts_a_mistake_is_mended(
    new_context: NewContext, sign_in: SignIn, pytestconfig: pytest.Config
) -> None:
    page = sign_in(new_context(java_script_enabled=False).new_page(), "bob")
    page.goto("/documents/")
    box = page.get_by_role("searchbox", name="Search titles and text")
    box.fill("timetabel")
    box.press("Enter")
    expect(page.get_by_role("heading", name="Nothing found")).to_be_visible()
    photograph(page, pytestconfig, "meant")
    page.get_by_role("link", name="Timetable").click()
    expect(page.locator(".entry mark").first).to_have_text("Timetable")
