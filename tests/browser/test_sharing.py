"""A document is shared with a colleague and by a link, read by both, and taken back."""

import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, Console, NewContext, SignIn
from tests.processes.harness import Product, Server

pytestmark = pytest.mark.browser
TEXT = "# What we agreed\n\n**Everything** stays as it is.\n\n- [x] told everybody\n"


@pytest.fixture
def api(product: Product, live_app: Server) -> httpx.Client:
    return live_app.client(product.demo("alice")["token"])


def make(api: httpx.Client, title: str) -> str:
    answer = api.post("/api/agent-documents/", json={"title": title, "content": TEXT})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def photograph(page: Page, pytestconfig: pytest.Config, name: str) -> None:
    """Beside those of tests that failed."""
    folder = Path(pytestconfig.getoption("--output")) / "sharing"
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}.png", full_page=True)


def test_shared_with_a_colleague_until_revoked(
    page: Page,
    new_context: NewContext,
    sign_in: SignIn,
    api: httpx.Client,
    console: Console,
    pytestconfig: pytest.Config,
) -> None:
    console.allow("400")
    console.allow("404")
    document_id = make(api, "Minutes for bob")
    sign_in(page, "alice")
    page.goto(f"/documents/{document_id}/")
    page.get_by_role("link", name="Share").click()
    expect(page.get_by_text("Nobody but you.")).to_be_visible()
    page.get_by_label("User name").fill("nobody-like-that")
    page.get_by_role("button", name="Share with the person").click()
    expect(page.get_by_text("There is nobody of this name.")).to_be_visible()
    page.get_by_label("User name").fill("bob")
    page.get_by_role("button", name="Share with the person").click()
    expect(page.get_by_text("Shared.")).to_be_visible()
    photograph(page, pytestconfig, "owner")
    theirs = sign_in(new_context().new_page(), "bob")
    theirs.goto("/documents/shared/")
    photograph(theirs, pytestconfig, "shared-with-me")
    theirs.get_by_role("link", name="Minutes for bob").click()
    expect(theirs.get_by_text("shared with you to read")).to_be_visible()
    expect(theirs.locator(".prose strong")).to_have_text("Everything")
    expect(theirs.get_by_role("link", name="Edit")).to_have_count(0)
    photograph(theirs, pytestconfig, "reader")
    page.goto(f"/documents/{document_id}/")
    page.get_by_role("button", name=re.compile("^Revoke for ")).click()
    expect(page.get_by_text("It is shared no longer.")).to_be_visible()
    theirs.reload()
    expect(theirs.get_by_role("heading", name="Not here")).to_be_visible()


@pytest.mark.parametrize("options", [{}, PHONE, {"java_script_enabled": False}])
def test_a_link_is_read_by_whoever_has_it_until_revoked(
    options: dict[str, object],
    new_context: NewContext,
    sign_in: SignIn,
    api: httpx.Client,
    console: Console,
    pytestconfig: pytest.Config,
) -> None:
    console.allow("404")
    page = sign_in(new_context(**options).new_page(), "alice")
    page.goto(f"/documents/{make(api, 'Minutes for everybody')}/share/")
    page.get_by_role("button", name="Make a link").click()
    url = page.get_by_label("Public link").input_value()
    name = f"link-{len(options)}"
    photograph(page, pytestconfig, f"{name}-made")
    visitor = new_context(**options).new_page()
    visitor.goto(url)
    expect(visitor.get_by_role("heading", name="Minutes for everybody")).to_be_visible()
    expect(visitor.locator(".prose strong")).to_have_text("Everything")
    assert visitor.locator("body").evaluate("e => getComputedStyle(e).margin") == "0px"
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert visitor.evaluate(wide) == 0
    photograph(visitor, pytestconfig, name)
    page.get_by_role("link", name="Done").click()
    expect(page.get_by_text("last opened")).to_be_visible()
    page.get_by_role("button", name="Revoke the public link").click()
    expect(page.get_by_text("Nobody but you.")).to_be_visible()
    assert visitor.goto(url)
    expect(visitor.get_by_role("heading", name="Not here")).to_be_visible()
