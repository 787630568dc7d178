"""The operator's console in a real browser, under its own policy: nothing is blocked or broken."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SignIn


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
        "tools/tool/add/",
        "tools/toolcall/",
        "tools/actiondraft/",
        "agents/agent/add/",
        "agents/run/",
        "documents/document/",
        "skills/auditevent/",
    ],
)
def test_a_page_opens_without_complaint(operator: Page, path: str) -> None:
    operator.goto(f"/admin/{path}")
    expect(operator.locator("body")).to_contain_text("Gatehouse")


def test_an_operator_configures_a_tool(operator: Page) -> None:
    operator.goto("/admin/tools/tool/?q=calculator")
    operator.get_by_role("link", name="Calculator").click()
    operator.locator("textarea[name=config]").fill('{"colour": "red"}')
    operator.get_by_role("button", name="Save", exact=True).click()
    expect(operator.locator("body")).to_contain_text("colour: Unknown key")
    operator.locator("textarea[name=config]").fill("{}")
    operator.get_by_role("button", name="Save", exact=True).click()
    expect(operator.locator("body")).to_contain_text("was changed successfully")
