"""An operator connects a model: writes the profile, tries it, mends it, and makes a copy."""

import re

from playwright.sync_api import Page, expect

from agents.model_clients.rules import RulesClient
from agents.testing import HttpError, ServerScript, scripted_server
from tests.browser.conftest import PHONE, NewContext, SignIn


def test_an_operator_connects_a_model(page: Page, sign_in: SignIn) -> None:
    operator = sign_in(page, "operator")
    script = ServerScript([HttpError(404, "no such model")], RulesClient().complete)
    with scripted_server(script) as (base_url, _script):
        operator.goto("/admin/agents/modelprofile/add/")
        operator.locator("input[name=name]").fill("Desk")
        operator.locator("input[name=model]").fill("rules-over-http")
        operator.locator("input[name=base_url]").fill(base_url)
        operator.get_by_role("button", name="Save", exact=True).click()
        expect(operator.locator("body")).to_contain_text("Content leaves only over https")
        operator.locator("input[name=external]").uncheck()
        operator.get_by_role("button", name="Save", exact=True).click()
        expect(operator.locator("body")).to_contain_text("was added successfully")
        operator.get_by_role("link", name="Desk").first.click()
        # One press asks. The first time loads the library.
        operator.get_by_role("link", name="Test connection").first.click(timeout=60_000)
        expect(operator.locator(".gh-result")).to_contain_text("model_not_found")
        expect(operator.locator(".gh-result")).to_contain_text("usually ends in /v1")
        operator.get_by_role("button", name="Test connection").click()
        expect(operator.locator(".gh-result")).to_contain_text("It answers")
        expect(operator.locator(".gh-result")).to_contain_text("Calls functions")
    operator.get_by_role("link", name="Settings").click()
    operator.get_by_role("link", name="Duplicate").first.click()
    operator.get_by_role("button", name="Duplicate").click()
    expect(operator.locator("input[name=name]")).to_have_value("Desk (copy)")


def test_the_pages_of_models_fit_a_phone(new_context: NewContext, sign_in: SignIn) -> None:
    phone = sign_in(new_context(**PHONE).new_page(), "operator")
    for path in ("agents/modelprofile/add/", "agents/run/", "agents/agent/"):
        phone.goto(f"/admin/{path}")
        expect(phone.locator("body")).to_contain_text(re.compile("Gatehouse|Agents"))
        wide = phone.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert wide <= 0, path
