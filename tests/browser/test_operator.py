"""The operator's console in a real browser, under its own policy: nothing is blocked or broken."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext, SignIn


@pytest.fixture
def operator(page: Page, sign_in: SignIn) -> Page:
    return sign_in(page, "operator")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "base/user/",
        "base/apitoken/add/",
        "tools/tool/",
        "tools/tool/add/?type=fetch",
        "tools/tool/types/",
        "tools/tool/types/datetime/",
        "tools/tool/calls/calculator/",
        "tools/toolcall/",
        "tools/actiondraft/",
        "agents/agent/add/",
        "agents/run/",
        "documents/document/",
        "skills/permissiongrant/grant/",
        "skills/permissiongrant/installed/",
        "skills/permissiongrant/installed/memory-recall/1.0.0/",
        "skills/auditevent/",
        "skills/auditevent/export/",
        "skills/auditevent/verify/",
    ],
)
def test_a_page_opens_without_complaint(operator: Page, path: str) -> None:
    operator.goto(f"/admin/{path}")
    expect(operator.locator("body")).to_contain_text("Gatehouse")


def open_tool(page: Page, slug: str) -> None:
    page.goto(f"/admin/tools/tool/?q={slug}")
    page.locator("#result_list tbody th a, #result_list tbody a").first.click()
    expect(page.get_by_label("Slug")).to_have_value(slug)


def test_an_operator_configures_a_tool_in_fields_or_in_json(operator: Page) -> None:
    open_tool(operator, "fetch")
    operator.get_by_label("Timeout ms").fill("0")
    save(operator)
    expect(operator.locator("body")).to_contain_text("greater than or equal to 1")
    operator.get_by_label("Timeout ms").fill("7000")
    operator.get_by_label("Blocked domains").fill("a.example\nb.example")
    save(operator)
    expect(operator.locator("body")).to_contain_text("was changed successfully")
    open_tool(operator, "fetch")
    operator.get_by_text("Settings as JSON").click()
    text = operator.locator("textarea[name=config]")
    config = json.loads(text.input_value())  # other tests may have set more of it
    assert config["timeout_ms"] == 7000
    assert config["blocked_domains"] == ["a.example", "b.example"]
    text.fill('{"colour": "red"}')
    save(operator)
    expect(operator.locator("body")).to_contain_text("colour: Unknown key")
    operator.locator("textarea[name=config]").fill("{}")
    save(operator)
    expect(operator.locator("body")).to_contain_text("was changed successfully")
    open_tool(operator, "fetch")
    expect(operator.get_by_label("Timeout ms")).to_have_value("10000")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def test_an_operator_tries_a_tool_and_finds_it_in_the_log_and_the_overview(operator: Page) -> None:
    open_tool(operator, "calculator")
    operator.get_by_role("link", name="Try it").click()
    operator.get_by_label("Expression").fill("12.5% * 80")
    operator.get_by_label("Expression").press("Enter")
    result = operator.get_by_role("region", name="Result")
    expect(result).to_contain_text('"result": "10"')
    operator.get_by_label("Person").fill("alice")
    operator.get_by_role("button", name="Show the decision").click()
    expect(result).to_contain_text("alice would get: allowed")
    expect(operator.get_by_label("Expression")).to_have_value("12.5% * 80")
    operator.get_by_label("Expression").fill("1/0")
    operator.get_by_role("button", name="Run").click()
    expect(result).to_contain_text("divzero")
    result.get_by_role("link", name="In the log").click()
    expect(operator.locator("body")).to_contain_text("The tool is switched on.")
    operator.goto("/admin/")
    expect(operator.get_by_role("img", name="Tool calls by status")).to_be_visible()
    operator.get_by_role("row", name="calculator").get_by_role("link").first.click()
    expect(operator.locator("#result_list")).to_contain_text("calculator")


def test_the_overview_fits_a_phone(phone_page: Page, sign_in: SignIn) -> None:
    page = sign_in(phone_page, "operator")
    for path in ("", "tools/tool/add/?type=fetch", "skills/auditevent/export/"):
        page.goto(f"/admin/{path}")
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not page.evaluate(wide), path


def test_the_menu_stands_beside_the_page_on_a_small_desktop(
    new_context: NewContext, sign_in: SignIn
) -> None:
    for width, beside in ((1280, True), (1024, True), (800, False)):
        page = new_context(viewport={"width": width, "height": 800}).new_page()
        operator = sign_in(page, "operator")
        operator.goto("/admin/tools/toolcall/?failed=any")
        expect(operator.locator(".gh-applied")).to_contain_text("failed or denied")
        expect(operator.locator("#nav-sidebar")).to_be_visible(visible=beside)
        if beside:
            menu = operator.locator("#nav-sidebar").bounding_box()
            main = operator.locator("#main").bounding_box()
            assert menu
            assert main
            assert menu["x"] + menu["width"] <= main["x"] + 1
        wide = operator.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0
