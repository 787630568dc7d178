"""The profile and the API's documentation, with a real browser and its policy."""

import httpx
from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn
from tests.processes.harness import Server


def test_somebody_makes_a_token_that_works_and_revokes_it(
    page: Page, sign_in: SignIn, live_app: Server
) -> None:
    sign_in(page, "bob")
    page.goto("/accounts/profile/")
    page.get_by_role("link", name="New token").click()
    page.get_by_label("Name").fill("backup script")
    page.get_by_role("button", name="Make token").click()
    token = page.get_by_label("Token", exact=True).input_value()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()

    def status() -> int:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.get(f"{live_app.url}/api/agents/", headers=headers).status_code

    assert status() == 200
    page.get_by_role("link", name="Done").click()
    page.get_by_role("link", name="Revoke “backup script”").click()
    page.get_by_role("button", name="Revoke token").click()
    expect(page.get_by_role("status").or_(page.locator(".toast")).first).to_contain_text("revoked")
    assert status() == 401


def test_language_and_zone_change_every_page(page: Page, sign_in: SignIn) -> None:
    sign_in(page, "cara")
    page.goto("/accounts/profile/")
    page.get_by_label("Time zone").fill("Asia/Shanghai")
    page.get_by_label("Language", exact=True).select_option("zh-hans")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    page.goto("/documents/")
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    page.goto("/accounts/profile/")
    page.locator("[name=language]").select_option("en")
    page.locator(".profile form .primary").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_it_fits_a_phone(phone_page: Page, sign_in: SignIn) -> None:
    sign_in(phone_page, "bob")
    for path in ("/accounts/profile/", "/accounts/profile/tokens/new/"):
        phone_page.goto(path)
        assert phone_page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_documentation_can_be_tried_out_with_the_session(page: Page, sign_in: SignIn) -> None:
    """Under the page's policy: what it blocks would be on the console."""
    sign_in(page, "bob")
    page.goto("/api/docs/")
    operation = page.locator("#operations-documents-documents_create")
    operation.locator(".opblock-summary").click()
    operation.get_by_role("button", name="Try it out").click()
    with page.expect_response(lambda answer: "/api/agent-documents/" in answer.url) as answered:
        operation.get_by_role("button", name="Execute").click()
    assert answered.value.status == 201
    assert answered.value.json()["title"] == "Minutes"
